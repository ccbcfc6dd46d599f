import { readFileSync } from "node:fs";

/** When a process started, by the kernel's clock: a later process may get the same id, but not the same start time. */
export function processStartTime(pid: number): string | undefined {
	if (pid !== process.pid) return readBeginning(pid);
	own ??= readBeginning(pid);
	return own;
}

/** Cached, because the kernel is slow to answer and the value does not change. */
let own: string | undefined;

function readBeginning(pid: number): string | undefined {
	try {
		// The name in parentheses may contain anything; the numbers follow the last one.
		return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").split(" ")[20];
	} catch {
		return undefined;
	}
}
