/** How long something was waited for, and what. */
export interface Wait {
	readonly what: string;
	readonly ms: number;
}

const MAX_WORDS = 80;
let slowest: Wait | undefined;

/** Notes a wait that has ended, so that a run under load can tell how close tests come to their limits. */
export function noteWait(describe: () => string, ms: number): void {
	if (slowest === undefined || ms > slowest.ms) slowest = { what: describe().slice(0, MAX_WORDS).trim(), ms };
}

/** The longest wait since this was last asked. */
export function takeSlowestWait(): Wait | undefined {
	const wait = slowest;
	slowest = undefined;
	return wait;
}
