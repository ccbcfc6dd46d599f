/** After this many exits within `WINDOW_MS` the host is not restarted automatically. */
export const MAX_RESTARTS = 5;
export const WINDOW_MS = 3 * 60_000;

/** Decides whether a host that has ended is restarted. */
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
