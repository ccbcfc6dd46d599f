import type { Refusal } from "./refusal.ts";

/** A reported window is believed between these limits; outside them it is an error. */
const LEAST_WINDOW = 1_024;
const MOST_WINDOW = 100_000_000;

const CODES = new Set([
	"context_length_exceeded",
	"exceed_context_size_error",
	"model_max_prompt_tokens_exceeded",
	"string_above_max_length",
	"tokens_limit_reached",
	"context_window_exceeded",
	"model_context_window_exceeded",
	"request_too_large",
	// Z.ai, in either language.
	"1261",
]);

/** The request is larger than the server accepts, so a smaller one is the remedy. */
const TOO_LARGE = 413;

// How servers phrase it; the number, if there is one, is the window size. Patterns with a number come first. A number
// has a maximum length: otherwise a long run of digits would be scanned again from each digit.
const SENTENCES: readonly RegExp[] = [
	/maximum allowed input length of ([\d,_]{1,20}) tokens/i,
	/context limit: [\d,_]{1,20} \+ [\d,_]{1,20} > ([\d,_]{1,20})/i,
	/maximum (?:supported )?(?:context|prompt|model|sequence|input) length(?: is| of|:)? (?:only |just )?\(?([\d,_]{1,20})/i,
	/input token count is [\d,_]{1,20} but model only supports up to ([\d,_]{1,20})/i,
	/should not exceed max_num_tokens \(([\d,_]{1,20})/i,
	/n_keep \([\d,_]{1,20}\) ?>= ?n_ctx \(([\d,_]{1,20})/i,
	/([\d,_]{1,20}) maximum context length/i,
	/max_(?:model|seq)_len(?:gth)?[ =:(]{1,3}(?:max_total_tokens=)?([\d,_]{1,20})/i,
	/context (?:size|length|window|limit)(?: is| of|:)?(?: only)? ?\(?([\d,_]{1,20})/i,
	/maximum number of (?:input )?tokens allowed \(?([\d,_]{1,20})/i,
	/max(?:imum)? (?:input tokens|size): ([\d,_]{1,20})/i,
	/prompt is too long:? [\d,_]{1,20} tokens? > ([\d,_]{1,20})/i,
	/exceed(?:s|ed)? (?:the |model )?(?:configured |maximum |token )?limit(?: of|:) ([\d,_]{1,20})(?![\d,_]{0,20} ?(?:[kmg]?i?b\b|bytes))/i,
	/while (?:the )?limit is ([\d,_]{1,20})/i,
	/tokens`? ?\+ ?`?max_new_tokens`? must be <= ([\d,_]{1,20})/i,
	/inputs`? must have less than ([\d,_]{1,20}) tokens/i,
	/range of input length should be \[\d{1,20}, ?([\d,_]{1,20})\]/i,
	/too many tokens.{0,160}limit for this model is ([\d,_]{1,20})/is,
	/exceed(?:s|ed|ing)? (?:the |this |its )?(?:model'?s? )?(?:available |maximum |max )?context()/i,
	/context (?:window|size|length|limit)(?: has been| was)? exceed(?:s|ed)?()/i,
	/(?:greater|longer|larger|more) than the (?:model'?s? )?(?:maximum )?context()/i,
	/\binput (?:length|tokens)\b.{0,40} exceeds? (?:the )?max(?:imum)? length(?: of)?(?: ([\d,_]{1,20}))?/i,
	/exceeds? max message tokens()/i,
	/(?:prompt|input)(?: token length)?(?: is)? too long()/i,
	/prompt exceeds max length()/i,
	/too many (?:input |total )?tokens()/i,
	/tokens in request more than max tokens allowed()/i,
	/\btoken limit exceeded()/i,
	/reduce the length of the (?:messages|prompt|input)()/i,
	/(?:payload size|total message size [\d,_]{1,20}) exceeds (?:the )?limit()/i,
	/超过最大长度|上下文长度()/,
];

/** Rate limits are also stated in tokens. */
const RATE = /per[ -](?:second|minute|min|hour|day)|\bTPM\b|rate limit|please wait before/i;

/** Whether a refusal means that the conversation is longer than the window, and how large the window is. */
export function readOverflow(refusal: Refusal): { readonly window: number | undefined } | undefined {
	const { status, code, text } = refusal;
	if (exceedsAlone(text)) return { window: undefined };
	if (status === 429 || code === "rate_limit_exceeded" || (RATE.test(text) && !isCode(code))) {
		return status === TOO_LARGE ? { window: undefined } : undefined;
	}
	const found = SENTENCES.map((sentence) => sentence.exec(text)).find((match) => match !== null);
	if (found === undefined && !isCode(code) && status !== TOO_LARGE) return undefined;
	const number = refusal.window ?? Number((found?.[1] ?? "").replaceAll(/[,_]/g, "") || Number.NaN);
	return { window: number >= LEAST_WINDOW && number <= MOST_WINDOW ? Math.floor(number) : undefined };
}

// No pause helps a request that alone is larger than what a minute allows; a smaller one does.
const ALONE = /request too large.{0,400}limit:? ([\d,_]{1,20}),? requested:? ([\d,_]{1,20})/is;

function exceedsAlone(text: string): boolean {
	const [limit = 0, requested = 0] = (ALONE.exec(text) ?? [])
		.slice(1)
		.map((number) => Number(number.replaceAll(/[,_]/g, "")));
	return requested > limit;
}

function isCode(code: string | undefined): boolean {
	return code !== undefined && CODES.has(code);
}
