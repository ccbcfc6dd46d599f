import type { OutputSchema } from "../port.ts";

const HOST_LABEL = "[From the Vitrine host, not from the user]";

/** What the host says, where there is no role for it but the user's. */
export function labelled(text: string): string {
	return `${HOST_LABEL}\n${text}`;
}

/** Asks for an answer of a given shape where the wire cannot enforce it; whoever reads the answer parses it strictly. */
export function askInWords({ name, schema }: OutputSchema): string {
	return [
		"Answer with one JSON value only: no Markdown fence, no text before or after it.",
		`It must match this JSON schema, “${name}”:`,
		JSON.stringify(schema),
	].join("\n");
}
