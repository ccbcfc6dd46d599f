import { defineFragment } from "../fragment.ts";

/** A name that the model made up may hold anything, so only a plain one is said again. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** That the model goes round in circles. Without a tag: it says nothing that must be found again. */
export const repeatedCall = defineFragment<{ readonly name: string; readonly times: number }>({
	kind: "repeated-call",
	role: "developer",
	origin: "host",
	maxChars: 400,
	about: "That the same call has given the same result several times.",
	summary: ({ times }) => `the same call gave the same result ${times} times`,
	body: ({ name, times }) => {
		const call = PLAIN_NAME.test(name) ? `call of ${name}` : "call";
		return `You have made the same ${call} ${times} times, and the result was the same each time. Making it again will not help. Try something else, or tell the user what is missing.`;
	},
});
