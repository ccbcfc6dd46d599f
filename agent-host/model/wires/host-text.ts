import type { OutputSchema } from "../port.ts";

const HOST_LABEL = "[From the Vitrine host, not from the user]";

/** Labels a host message for wires on which it needs the user role. */
export function labelled(text: string): string {
	return `${HOST_LABEL}\n${text}`;
}

/** Stands for a message without text: it still stands between two answers, and servers refuse an empty one. */
export const NO_TEXT = labelled("The user's message has no text.");

/** Stands where an answer broke off, so that a message is last. */
export const CUT_OFF = labelled("The previous answer was cut off. Continue.");

/** Asks for an answer of a given shape if the wire cannot enforce it; the answer is parsed strictly. */
export function askInWords({ name, schema }: OutputSchema): string {
	return [
		"Answer with one JSON value only: no Markdown fence, no text before or after it.",
		`It must match this JSON schema, “${name}”:`,
		JSON.stringify(schema),
	].join("\n");
}
