import type { Platform } from "./port.ts";
import { UNIX } from "./unix.ts";
import { WINDOWS } from "./windows.ts";

/** The system that the host runs on. */
export const PLATFORM: Platform = process.platform === "win32" ? WINDOWS : UNIX;
