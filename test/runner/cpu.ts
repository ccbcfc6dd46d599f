import { readdirSync, readFileSync } from "node:fs";
import { createTally, type Seen } from "./tally.ts";

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;
/** What nobody waited for is counted as it was at the last look. */
const LOOK_MS = 500;

/** Processor time of processes with all that they started, also of what outlives its parent. */
export interface CpuMeter {
	/** Seconds so far, also of one that has ended; undefined where there is no /proc. */
	readonly secondsOf: (pid: number | undefined) => number | undefined;
	readonly stop: () => void;
}

export function createCpuMeter(): CpuMeter {
	const tally = createTally();
	const look = () => tally.add(readProcesses());
	const timer = setInterval(look, LOOK_MS).unref();
	return {
		secondsOf(pid) {
			if (pid === undefined) return undefined;
			tally.watch(pid);
			look();
			const ticks = tally.ticksSoFar(pid);
			return ticks === undefined ? undefined : ticks / TICKS_PER_SECOND;
		},
		stop: () => clearInterval(timer),
	};
}

function readProcesses(): readonly Seen[] {
	try {
		return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []));
	} catch {
		return [];
	}
}

function readProcess(pid: number): readonly Seen[] {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The name in parentheses may hold spaces; the fields are counted from the state behind it.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		const at = (index: number) => Number(fields[index]);
		return [{ pid, parent: at(1), start: at(19), own: at(11) + at(12), waited: at(13) + at(14) }];
	} catch {
		// It ended meanwhile.
		return [];
	}
}
