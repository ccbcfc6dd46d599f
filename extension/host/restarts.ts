/** Ends of the host within `WINDOW_MS` after which it is not started again by itself. */
export const MAX_RESTARTS = 5;
export const WINDOW_MS = 3 * 60_000;

/** Decides whether a host that ended is started again. */
export function createRestartPolicy(now: () => number): {
	readonly mayRestart: () => boolean;
	readonly reset: () => void;
} {
	let ends: readonly number[] = [];
	return {
		mayRestart: () => {
			const time = now();
			ends = [...ends.filter((end) => time - end < WINDOW_MS), time];
			return ends.length <= MAX_RESTARTS;
		},
		reset: () => {
			ends = [];
		},
	};
}
