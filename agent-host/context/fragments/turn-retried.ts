import { defineFragment } from "../fragment.ts";

/** Takes the place of a prompt that the model has already read, in a turn that did not finish. */
export const turnRetried = defineFragment<undefined>({
	kind: "turn-retried",
	role: "user",
	tag: "turn_retried",
	origin: "host",
	maxChars: 200,
	about: "The user tries an unfinished turn again, so their message stands once.",
	summary: () => "retry",
	body: () => "The user wants you to try again. Continue with their last message; finished work stays done.",
});
