import { testSchedules } from "./rig/test-schedules.ts";

testSchedules(8);
