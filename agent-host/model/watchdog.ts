import { say } from "../protocol/say.ts";
import { type ModelEvent, ModelFailure, type ModelStream } from "./port.ts";

/** A server that only sends signs of life gets this many times the idle limit. */
const PATIENCE = 5;

type PassedEvent = Exclude<ModelEvent, { type: "alive" }>;

/**
 * Passes a stream on and fails when the model is silent for too long. The provider library has no timeout once the
 * headers have arrived.
 */
export async function* withIdleLimit(
	start: (signal: AbortSignal) => ModelStream,
	idleMs: number,
	outer: AbortSignal,
	/** The same for the first sign of an answer. */
	firstMs: number = idleMs,
): AsyncGenerator<readonly PassedEvent[]> {
	const idle = new AbortController();
	const signal = AbortSignal.any([outer, idle.signal]);
	let limitMs = firstMs;
	// An error is dear to make, so it is made when it is needed.
	const giveUp = (): void => idle.abort(silenceFailure(limitMs));
	const wait = (ms: number): NodeJS.Timeout => setTimeout(giveUp, ms);
	let silent = wait(firstMs);
	let patienceTimer = wait(Math.max(firstMs, PATIENCE * idleMs));
	try {
		for await (const events of start(signal)) {
			clearTimeout(silent);
			limitMs = idleMs;
			// A stream may deliver buffered events after it was stopped.
			outer.throwIfAborted();
			const passed = events.filter((event) => event.type !== "alive");
			if (passed.length > 0) {
				clearTimeout(patienceTimer);
				yield passed;
				patienceTimer = wait(PATIENCE * idleMs);
			}
			silent = wait(idleMs);
		}
	} catch (error) {
		throw idle.signal.aborted && !outer.aborted ? idle.signal.reason : error;
	} finally {
		clearTimeout(silent);
		clearTimeout(patienceTimer);
	}
	if (idle.signal.aborted && !outer.aborted) throw idle.signal.reason;
	outer.throwIfAborted();
}

/** A silent model has read the request, so that each further one is paid for: it is asked once more, not five times. */
const ATTEMPTS_AT_SILENCE = 2;

function silenceFailure(idleMs: number): ModelFailure {
	return new ModelFailure("network", say("model-silent", { seconds: idleMs / 1_000 }), {
		retryable: true,
		attempts: ATTEMPTS_AT_SILENCE,
	});
}
