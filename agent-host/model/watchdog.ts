import { type ModelEvent, ModelFailure } from "./port.ts";

/** A server that only shows that it lives is waited for so many times as long. */
const PATIENCE = 5;

type Heard = Exclude<ModelEvent, { type: "alive" }>;

/**
 * Passes `events` on and gives up when the model is silent for too long. The provider library has no limit
 * of its own once the headers have arrived.
 */
export async function* withIdleLimit(
	start: (signal: AbortSignal) => AsyncIterable<ModelEvent>,
	idleMs: number,
	outer: AbortSignal,
): AsyncGenerator<Heard> {
	const idle = new AbortController();
	const signal = AbortSignal.any([outer, idle.signal]);
	const failure = silence(idleMs);
	const wait = (ms: number): NodeJS.Timeout => setTimeout(() => idle.abort(failure), ms);
	let silent = wait(idleMs);
	let wordless = wait(PATIENCE * idleMs);
	try {
		for await (const event of start(signal)) {
			clearTimeout(silent);
			// A stream may deliver what it had buffered after it was told to stop.
			outer.throwIfAborted();
			if (event.type !== "alive") {
				clearTimeout(wordless);
				yield event;
				wordless = wait(PATIENCE * idleMs);
			}
			silent = wait(idleMs);
		}
	} catch (error) {
		throw idle.signal.aborted && !outer.aborted ? failure : error;
	} finally {
		clearTimeout(silent);
		clearTimeout(wordless);
	}
	if (idle.signal.aborted && !outer.aborted) throw failure;
	outer.throwIfAborted();
}

function silence(idleMs: number): ModelFailure {
	const message = `No response from the model for ${idleMs / 1_000} seconds. Retry, or check the server.`;
	return new ModelFailure("network", message, { retryable: true });
}
