import { type Said, say } from "../../protocol/say.ts";
import { ModelFailure } from "../port.ts";

/** Limit for the arguments of all calls in one answer: more than any model can write. */
const MAX_ARGUMENT_CHARS = 1_000_000;
/** Limit for calls in one answer; no model means to make more. */
const MAX_CALLS = 10_000;

/** Limit for what is kept of one answer and not shown, such as signatures: as much as of its text. */
const MAX_SEALED_CHARS = 2_000_000;

/** Counts what an answer keeps beside its text, and stops a runaway model. */
export interface CallLimit {
	readonly addCall: () => void;
	readonly addText: (text: string) => void;
	readonly addSealed: (text: string) => void;
}

export function createCallLimit(): CallLimit {
	let calls = 0;
	let chars = 0;
	let sealed = 0;
	return {
		addCall() {
			calls += 1;
			if (calls > MAX_CALLS) throw runaway(say("too-many-calls", { most: MAX_CALLS }));
		},
		addText(text) {
			chars += text.length;
			if (chars > MAX_ARGUMENT_CHARS) throw runaway(say("calls-too-long", { most: MAX_ARGUMENT_CHARS }));
		},
		addSealed(text) {
			sealed += text.length;
			if (sealed > MAX_SEALED_CHARS) throw runaway(say("model-wrote-too-much", { most: MAX_SEALED_CHARS }));
		},
	};
}

function runaway(said: Said): ModelFailure {
	return new ModelFailure("bad-stream", said, { retryable: false });
}
