import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process and of all it has waited for; undefined where there is no /proc or it has ended. */
export function cpuSecondsOf(pid: number | undefined): number | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The name in parentheses may hold spaces; the fields are counted from the state behind it.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
		return ticks / TICKS_PER_SECOND;
	} catch {
		return undefined;
	}
}
