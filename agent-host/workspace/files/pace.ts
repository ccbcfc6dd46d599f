/** How long the host is kept busy at a time. A command's result goes to the model in several steps, each of which may wait for this. */
const SLICE_MS = 2;

/** Lets other work run now and then: thousands of fast synchronous calls are faster than as many promises. */
export function createPace(): () => Promise<void> | undefined {
	let until = performance.now() + SLICE_MS;
	return () => {
		if (performance.now() < until) return undefined;
		return new Promise((resolve) =>
			setImmediate(() => {
				until = performance.now() + SLICE_MS;
				resolve();
			}),
		);
	};
}
