import { ModelFailure } from "../port.ts";

/** Characters of all arguments in one answer: more than any model can write in one. */
const MAX_ARGUMENT_CHARS = 1_000_000;
/** Calls in one answer; more than this no model means. */
const MAX_CALLS = 10_000;

/** Counts the calls of one answer and their arguments, and stops a model that has lost its measure. */
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
