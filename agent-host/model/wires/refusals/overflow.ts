import type { Refusal } from "./refusal.ts";

/** A window that a server names is believed between these two; outside them it is a slip or a lie. */
const LEAST_WINDOW = 1_024;
const MOST_WINDOW = 100_000_000;

const CODES = new Set([
	"context_length_exceeded",
	"exceed_context_size_error",
	"model_max_prompt_tokens_exceeded",
	"string_above_max_length",
	"tokens_limit_reached",
	"context_window_exceeded",
	"request_too_large",
]);

/** The request is larger than the server takes: whatever it counts, less of it is the answer. */
const TOO_LARGE = 413;

// How servers say it; the number, where there is one, is the size of the window. Those with a number come first.
const SENTENCES: readonly RegExp[] = [
	/context limit: [\d,_]+ \+ [\d,_]+ > ([\d,_]+)/i,
	/maximum (?:context|prompt|model|sequence|input) length(?: is| of|:)? (?:only )?([\d,_]+)/i,
	/([\d,_]+) maximum context length/i,
	/context (?:size|length|window|limit)(?: is| of|:)?(?: only)? ?\(?([\d,_]+)/i,
	/max_model_len(?:gth)?[ =:(]{1,3}([\d,_]+)/i,
	/maximum number of (?:input )?tokens allowed \(?([\d,_]+)/i,
	/max(?:imum)? (?:input tokens|size): ([\d,_]+)/i,
	/prompt is too long:? [\d,_]+ tokens? > ([\d,_]+)/i,
	/exceed(?:s|ed)? (?:the |model )?(?:configured |maximum |token )?limit(?: of|:) ([\d,_]+)(?![\d,_]* ?(?:[kmg]?i?b\b|bytes))/i,
	/while (?:the )?limit is ([\d,_]+)/i,
	/tokens`? ?\+ ?`?max_new_tokens`? must be <= ([\d,_]+)/i,
	/inputs`? must have less than ([\d,_]+) tokens/i,
	/range of input length should be \[\d+, ?([\d,_]+)\]/i,
	/too many tokens.{0,160}limit for this model is ([\d,_]+)/is,
	/exceed(?:s|ed|ing)? (?:the |this |its )?(?:model'?s? )?(?:available |maximum |max )?context()/i,
	/context (?:window|size|length|limit)(?: has been| was)? exceed(?:s|ed)?()/i,
	/(?:greater|longer|larger|more) than the (?:model'?s? )?(?:maximum )?context()/i,
	/(?:prompt|input)(?: is)? too long()/i,
	/prompt exceeds max length()/i,
	/too many (?:input |total )?tokens()/i,
	/reduce the length of the (?:messages|prompt|input)()/i,
];

/** Limits of a rate are said in tokens too. */
const RATE = /per[ -](?:second|minute|min|hour|day)|\bTPM\b|rate limit/i;

/** Whether a refusal means that the conversation is longer than the window, and how large the window is. */
export function readOverflow(refusal: Refusal): { readonly window: number | undefined } | undefined {
	const { status, code, text } = refusal;
	if (status === 429 || code === "rate_limit_exceeded" || (RATE.test(text) && !isCode(code))) {
		return status === TOO_LARGE ? { window: undefined } : undefined;
	}
	const found = SENTENCES.map((sentence) => sentence.exec(text)).find((match) => match !== null);
	if (found === undefined && !isCode(code) && status !== TOO_LARGE) return undefined;
	const number = refusal.window ?? Number((found?.[1] ?? "").replaceAll(/[,_]/g, "") || Number.NaN);
	return { window: number >= LEAST_WINDOW && number <= MOST_WINDOW ? Math.floor(number) : undefined };
}

function isCode(code: string | undefined): boolean {
	return code !== undefined && CODES.has(code);
}
