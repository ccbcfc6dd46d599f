import type { OutputSchema } from "../port.ts";

const HOST_LABEL = "[From the Vitrine host, not from the user]";

/** What the host says, where there is no role for it but the user's. */
export function labelled(text: string): string {
	return `${HOST_LABEL}\n${text}`;
}

/** Asks for an answer of a given shape where the wire cannot enforce it; whoever reads the answer parses it strictly. */
export function askInWords({ name, schema }: OutputSchema): string {
	return [
		"Answer with one JSON value and nothing else: no Markdown fence, no text before or after it.",
		`It must be valid against this JSON schema, “${name}”:`,
		JSON.stringify(schema),
	].join("\n");
}

/** The JSON value of an answer that was asked for in words: models like to put a fence round it. */
export function parseAnswer(text: string): unknown {
	try {
		return JSON.parse(withoutFence(text));
	} catch {
		return undefined;
	}
}

/** What stands between a first line that opens a fence and a last line that closes it. */
function withoutFence(text: string): string {
	const whole = text.trim();
	const [first, last] = [whole.indexOf("\n"), whole.lastIndexOf("\n")];
	const isFenced =
		/^```(?:json)?\s*$/.test(whole.slice(0, Math.max(first, 0))) && whole.slice(last + 1).trim() === "```";
	return isFenced && first < last ? whole.slice(first, last) : text;
}
