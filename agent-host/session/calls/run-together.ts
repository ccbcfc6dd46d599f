/**
 * Does several things at the same time. The first failure stops the others, and is thrown once none of them runs any more. When
 * `signal` aborts, all are stopped, and what they do about it is waited for.
 */
export async function runTogether(
	works: readonly ((signal: AbortSignal) => Promise<unknown>)[],
	signal: AbortSignal,
): Promise<void> {
	const stop = new AbortController();
	const failures: unknown[] = [];
	const onAbort = (): void => stop.abort(signal.reason);
	signal.addEventListener("abort", onAbort, { once: true });
	if (signal.aborted) onAbort();
	const run = async (work: (inner: AbortSignal) => Promise<unknown>): Promise<void> => {
		try {
			await work(stop.signal);
		} catch (error) {
			failures.push(error);
			stop.abort(error);
		}
	};
	await Promise.all(works.map(run));
	signal.removeEventListener("abort", onAbort);
	if (failures.length > 0) throw failures[0];
}
