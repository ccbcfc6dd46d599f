import { defineFragment } from "../fragment.ts";

/** A tool name that the model made up may contain anything, so only a plain one is repeated. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** Tells the model that it repeats itself. Has no tag, because it never has to be found again. */
export const repeatedCall = defineFragment<{ readonly name: string; readonly times: number }>({
	kind: "repeated-call",
	role: "developer",
	origin: "host",
	maxChars: 400,
	about: "The same call returned the same result several times.",
	summary: ({ times }) => `the same call returned the same result ${times} times`,
	body: ({ name, times }) => {
		const call = PLAIN_NAME.test(name) ? `call of ${name}` : "call";
		return `You made the same ${call} ${times} times with the same result. Repeating it will not help. Try something else, or tell the user what is missing.`;
	},
});
