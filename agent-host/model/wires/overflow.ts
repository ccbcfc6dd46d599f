import type { Refusal } from "./refusal.ts";

/** A window that a server names is believed between these two; outside them it is a slip or a lie. */
const LEAST_WINDOW = 1_024;
const MOST_WINDOW = 100_000_000;

const CODES = new Set([
	"context_length_exceeded",
	"exceed_context_size_error",
	"model_max_prompt_tokens_exceeded",
	"string_above_max_length",
]);

// How servers say it; the number, where there is one, is the size of the window.
const SENTENCES: readonly RegExp[] = [
	/maximum (?:context|prompt|model|sequence) length(?: is| of)? (?:only )?([\d,_]+)/i,
	/([\d,_]+) maximum context length/i,
	/context (?:size|length|window)(?: is| of)?(?: only)? ?\(?([\d,_]+)/i,
	/maximum number of (?:input )?tokens allowed \(?([\d,_]+)/i,
	/prompt is too long:? [\d,_]+ tokens? > ([\d,_]+)/i,
	/exceeds the limit of ([\d,_]+)/i,
	/tokens` ?\+ ?`?max_new_tokens` must be <= ([\d,_]+)/i,
	/exceeds? (?:the|this|its)?(?: model'?s?)?(?: available| maximum)? ?context (?:window|length|size)()/i,
	/exceeded max context length()/i,
	/prompt (?:is )?too long()/i,
	/input length exceeds the context length()/i,
	/reduce the length of the (?:messages|prompt|input)()/i,
];

/** Whether a refusal means that the conversation is longer than the window, and how large the window is. */
export function readOverflow(refusal: Refusal): { readonly window: number | undefined } | undefined {
	const found = SENTENCES.map((sentence) => sentence.exec(refusal.text)).find((match) => match !== null);
	const known = refusal.code !== undefined && CODES.has(refusal.code);
	// Rate limits are said in tokens too, and a large request may be refused by its bytes.
	if (!known && (found === undefined || refusal.status === 429)) return undefined;
	const number = refusal.window ?? Number((found?.[1] ?? "").replaceAll(/[,_]/g, "") || Number.NaN);
	return { window: number >= LEAST_WINDOW && number <= MOST_WINDOW ? Math.floor(number) : undefined };
}
