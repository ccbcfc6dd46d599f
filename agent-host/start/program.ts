import type { Upkeep } from "./upkeep.ts";

/** What the first chunk of a program exports. */
export interface Program {
	readonly run: (args: readonly string[], upkeep: Upkeep) => Promise<void>;
}
