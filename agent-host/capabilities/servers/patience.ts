/** How long a call may be silent. The time that a person needs for an answer does not count. */
export interface Patience {
	/** Aborts when it has been silent for too long. */
	readonly signal: AbortSignal;
	/** It is alive. */
	readonly touch: () => void;
	/** Waits with it while `work` runs. */
	readonly during: <T>(work: () => Promise<T>) => Promise<T>;
	readonly end: () => void;
}

export function createPatience(ms: number, setTimer: (ms: number, work: () => void) => () => void): Patience {
	const controller = new AbortController();
	const expire = (): void => controller.abort(new Error(`It was silent for ${Math.round(ms / 1_000)} s.`));
	let cancel = setTimer(ms, expire);
	let waiting = 0;
	const touch = (): void => {
		cancel();
		cancel = waiting > 0 ? () => undefined : setTimer(ms, expire);
	};
	return {
		signal: controller.signal,
		touch,
		end: () => cancel(),
		during: async (work) => {
			waiting += 1;
			touch();
			try {
				return await work();
			} finally {
				waiting -= 1;
				touch();
			}
		},
	};
}
