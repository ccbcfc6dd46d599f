import { ModelFailure } from "./port.ts";

/**
 * Passes `events` on and gives up when the model is silent for too long. The provider library has no limit
 * of its own once the headers have arrived.
 */
export async function* withIdleLimit<T>(
	start: (signal: AbortSignal) => AsyncIterable<T>,
	idleMs: number,
	outer: AbortSignal,
): AsyncGenerator<T> {
	const idle = new AbortController();
	const signal = AbortSignal.any([outer, idle.signal]);
	const failure = new ModelFailure(
		"network",
		`The model sent nothing for ${idleMs / 1_000} seconds. Try again, or check the server.`,
		{ retryable: true },
	);
	let timer = setTimeout(() => idle.abort(failure), idleMs);
	try {
		for await (const event of start(signal)) {
			clearTimeout(timer);
			// A stream may deliver what it had buffered after it was told to stop.
			outer.throwIfAborted();
			yield event;
			timer = setTimeout(() => idle.abort(failure), idleMs);
		}
	} catch (error) {
		throw idle.signal.aborted && !outer.aborted ? failure : error;
	} finally {
		clearTimeout(timer);
	}
	if (idle.signal.aborted && !outer.aborted) throw failure;
	outer.throwIfAborted();
}
