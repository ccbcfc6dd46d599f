import { ModelFailure } from "../port.ts";

/** Limit for the arguments of all calls in one answer: more than any model can write. */
const MAX_ARGUMENT_CHARS = 1_000_000;
/** Limit for calls in one answer; no model means to make more. */
const MAX_CALLS = 10_000;

/** Counts the calls of one answer and their arguments, and stops a runaway model. */
export interface CallLimit {
	readonly addCall: () => void;
	readonly addText: (text: string) => void;
}

export function createCallLimit(): CallLimit {
	let calls = 0;
	let chars = 0;
	return {
		addCall() {
			calls += 1;
			if (calls > MAX_CALLS) throw tooMuch(`${MAX_CALLS} calls`);
		},
		addText(text) {
			chars += text.length;
			if (chars > MAX_ARGUMENT_CHARS) throw tooMuch(`${MAX_ARGUMENT_CHARS} characters`);
		},
	};
}

function tooMuch(what: string): ModelFailure {
	return new ModelFailure("bad-stream", `The model called tools with more than ${what} and was stopped.`, {
		retryable: false,
	});
}
