/** How much can be dropped on the page; what is sent to the host has its limits in `agent-host/protocol/limits.ts`. */
export const MAX_DROPPED_FILES = 20;
/** A text that is dropped as a file without a path. */
export const MAX_DROPPED_CHARS = 20_000;
