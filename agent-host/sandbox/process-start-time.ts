import { readFileSync } from "node:fs";
import { askStartTime } from "./launch.ts";

/**
 * When a process started, by the kernel's clock: a later process may get the same id, but not the same start time.
 * Undefined for one that has ended, also if its parent has not noticed yet.
 */
export function processStartTime(pid: number): string | undefined {
	if (pid !== process.pid) return readBeginning(pid);
	own ??= readBeginning(pid);
	return own;
}

/** Cached, because the kernel is slow to answer and the value does not change. */
let own: string | undefined;

/** States of a process that no longer runs. */
const ENDED: ReadonlySet<string> = new Set(["Z", "X"]);

function readBeginning(pid: number): string | undefined {
	if (process.platform === "darwin") return askStartTime(pid);
	try {
		// The name in parentheses may contain anything; the numbers follow the last one.
		const [, state = "", ...numbers] = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").split(" ");
		return ENDED.has(state) ? undefined : numbers[18];
	} catch {
		return undefined;
	}
}
