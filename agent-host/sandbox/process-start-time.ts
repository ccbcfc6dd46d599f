import { readFileSync } from "node:fs";

/** When a process began, in the kernel's clock: a later process may get the same number, but not the same beginning. */
export function processStartTime(pid: number): string | undefined {
	if (pid !== process.pid) return readBeginning(pid);
	own ??= readBeginning(pid);
	return own;
}

/** The kernel takes its time to answer, and this answer does not change. */
let own: string | undefined;

function readBeginning(pid: number): string | undefined {
	try {
		// The name in parentheses may hold anything; the numbers follow the last one.
		return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").split(" ")[20];
	} catch {
		return undefined;
	}
}
