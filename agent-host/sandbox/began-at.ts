import { readFileSync } from "node:fs";

/** When a process began, in the kernel's clock: a later process may get the same number, but not the same beginning. */
export function beganAt(pid: number): string | undefined {
	try {
		// The name in parentheses may hold anything; the numbers follow the last one.
		return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").split(" ")[20];
	} catch {
		return undefined;
	}
}
