import type { Refusal } from "./refusal.ts";

const CODES = new Set(["invalid_encrypted_content", "thinking_signature_invalid"]);

// Sealed reasoning is refused with another key, by another machine behind the same address, or without the item that
// once followed it.
const SENTENCES = [
	/encrypted[_ ]content.{0,200}(?:could not be|cannot be|invalid|verif|decrypt)/is,
	/corrupted thought[_ ]signature|thought[_ ]signature is (?:not valid|invalid)/i,
	/invalid `?signature`? in `?thinking`?|`?(?:redacted_)?thinking`? blocks?.{0,200}(?:cannot be|must|modified)/is,
	/of type ['"`]reasoning['"`].{0,200}without its required/is,
	/items are not persisted when `?store`?/i,
];

/** Whether a refusal means that the server cannot read reasoning that a model sealed earlier. */
export function refusesSeals({ status, code = "", text }: Refusal): boolean {
	return (status ?? 0) < 500 && (CODES.has(code) || SENTENCES.some((sentence) => sentence.test(text)));
}

type Fields = Readonly<Record<string, unknown>>;

/** The sealed reasoning in a body, each part in the form in which a body compares it. */
export function listSeals(body: Fields): readonly string[] {
	const items = listOf(body.input).filter(({ type }) => type === "reasoning");
	const messages = listOf(body.messages);
	const calls = messages.flatMap(({ tool_calls }) => listOf(tool_calls));
	const blocks = messages.flatMap(({ content }) => listOf(content));
	const parts = listOf(body.contents).flatMap((content) => listOf(content.parts));
	return [
		...items.map(({ encrypted_content }) => encrypted_content),
		...calls.map(({ extra_content }) => extra_content),
		...messages.map(({ reasoning_details }) => reasoning_details),
		...blocks.map(({ type, signature, data }) => (type === "redacted_thinking" ? data : signature)),
		...parts.map(({ thoughtSignature }) => thoughtSignature),
	]
		.filter((part) => part !== undefined)
		.map(nameSeal);
}

/** A sealed part as one text. */
export function nameSeal(part: unknown): string {
	return typeof part === "string" ? part : JSON.stringify(part);
}

function listOf(value: unknown): readonly Fields[] {
	return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}
