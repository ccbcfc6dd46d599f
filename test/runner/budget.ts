import { availableParallelism, cpus } from "node:os";

/** Tasks are begun for half as many more processors as there are: each waits now and then. */
const OVERLAP = 1.5;
/** Between two looks at the machine: shorter ones say more of single tasks than of the run. */
const LOOK_MS = 1_000;
/** A change of the budget, about one task; and how much of the machine must be idle, or busy, for it. */
const STEP = 0.5;
const [IDLE, BUSY] = [0.3, 0.1];

/**
 * How many processors tasks may speak for. What a task takes is only known on average, and many wait most of the time: while the
 * machine is idle more of them are begun, and no more while it is busy, whoever keeps it so.
 */
export function createBudget(now = () => performance.now(), look = lookAtMachine): () => number {
	const processors = availableParallelism();
	let last = { at: now(), idleMs: look() };
	let extra = 0;
	return () => {
		const at = now();
		if (at - last.at >= LOOK_MS) {
			const idleMs = look();
			if (idleMs !== undefined && last.idleMs !== undefined) {
				extra = adjust(extra, (idleMs - last.idleMs) / (at - last.at), processors);
			}
			last = { at, idleMs };
		}
		return OVERLAP * processors + extra;
	};
}

/** At most as much again as there are processors: every task that runs needs memory too. */
export function adjust(extra: number, idle: number, processors: number): number {
	if (idle > IDLE) return Math.min(extra + STEP, processors);
	return idle < BUSY ? Math.max(extra - STEP, 0) : extra;
}

/** Milliseconds that the processors were idle; undefined where not all of the machine's are ours, or it does not tell. */
function lookAtMachine(): number | undefined {
	const all = cpus();
	if (all.length !== availableParallelism()) return undefined;
	return all.reduce((sum, { times }) => sum + times.idle, 0);
}
