import { testAnyOrder } from "./rig/play-any-order.ts";

testAnyOrder(60);
