/** Looks at files, one after the other. */
export interface LookQueue {
	/** Begins after a while, so that the caller is not delayed. One that waits already serves both callers. */
	readonly soon: (look: () => Promise<void>) => void;
	/** Begins at once; if one waits, that one does. */
	readonly now: (look: () => Promise<void>) => Promise<void>;
	/** Begins what waits, and resolves when no look is left. */
	readonly settle: () => Promise<void>;
}

export function createLookQueue(pauseMs: number): LookQueue {
	let last: Promise<void> = Promise.resolve();
	/** Begins the one that waits. */
	let hurry: (() => void) | undefined;
	const add = (look: () => Promise<void>): Promise<void> => {
		last = last.then(look);
		// A failure is thrown to callers that await it; there may be none yet.
		last.catch(() => undefined);
		return last;
	};
	const settle = (): Promise<void> => {
		hurry?.();
		return last;
	};
	return {
		soon: (look) => {
			if (hurry !== undefined) return;
			const { promise, resolve } = Promise.withResolvers<void>();
			const timer = setTimeout(resolve, pauseMs);
			hurry = () => {
				clearTimeout(timer);
				resolve();
			};
			void add(async () => {
				await promise;
				hurry = undefined;
				await look();
			});
		},
		now: (look) => (hurry === undefined ? add(look) : settle()),
		settle,
	};
}
