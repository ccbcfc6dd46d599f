import { type Said, say } from "../../protocol/say.ts";
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
			if (calls > MAX_CALLS) throw runaway(say("too-many-calls", { most: MAX_CALLS }));
		},
		addText(text) {
			chars += text.length;
			if (chars > MAX_ARGUMENT_CHARS) throw runaway(say("calls-too-long", { most: MAX_ARGUMENT_CHARS }));
		},
	};
}

function runaway(said: Said): ModelFailure {
	return new ModelFailure("bad-stream", said, { retryable: false });
}
