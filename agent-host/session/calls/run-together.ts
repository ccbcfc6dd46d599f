/**
 * Runs several tasks in parallel. The first failure stops the others, and is thrown when all have ended. When `signal`
 * aborts, all are stopped and awaited.
 */
export async function runInParallel(
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
