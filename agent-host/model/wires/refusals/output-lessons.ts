import { type Body, type Lesson, TEACHES, teach } from "./lesson.ts";
import { OUTPUT_LIMITS } from "./quirks.ts";
import type { Refusal } from "./refusal.ts";

// How servers say what an answer may have. A number has a maximum length: otherwise a long run of digits would be scanned
// again from each digit.
const LIMITS: readonly RegExp[] = [
	/max(?:_output)?_tokens\b.{0,120}?(?:>|maximum|at most|less than|must be|<=).{0,40}?\b(\d{4,6})\b/is,
	/max_tokens\b.{0,60}\[\d{1,6}, ?(\d{4,6})\]/is,
	/maximum tokens you requested exceeds the model limit of (\d{4,6})\b/i,
];

/** How they say that prompt and answer together are longer than the window. */
const TOGETHER: readonly RegExp[] = [
	/context limit: (?<input>\d{1,9}) \+ \d{1,9} > (?<window>\d{1,9})/i,
	/maximum context length (?:is|of) (?<window>\d{1,9}) tokens.{0,120}? (?:has|contains(?: at least)?) (?<input>\d{1,9}) input tokens/is,
	/maximum context length (?:is|of) (?<window>\d{1,9}) tokens.{0,80}? requested (?:a total of |about )?(?<total>\d{1,9}) tokens.{0,200}? (?<output>\d{1,9}) (?:tokens )?(?:in|for) the (?:completion|output)/is,
	/max_tokens=\d{1,9} ?cannot be greater than (?:max_[a-z_]{1,30}=){1,3}(?<window>\d{1,9})/i,
];

/** The part of the window that a prompt may take before it is the one to become shorter. */
const MOST_OF_WINDOW = 0.75;
/** The part of the free tokens that is asked for, so that the next prompts find room, too. */
const SHARE_OF_FREE = 0.5;

/** A shorter answer, where the server refuses the length that was asked for and not the prompt. */
export function lessonOfOutput({ status, text }: Refusal, body: Body): Lesson | undefined {
	if (!TEACHES.has(status ?? 0)) return undefined;
	const most = readRoom(text) ?? readLimit(text);
	const sent = Number(body.max_tokens);
	const quirk = (Object.keys(OUTPUT_LIMITS) as (keyof typeof OUTPUT_LIMITS)[]).find(
		(one) => OUTPUT_LIMITS[one] <= most && OUTPUT_LIMITS[one] < sent,
	);
	return quirk && teach(quirk, "quirk-output");
}

/** What an answer may have beside this prompt; undefined if the refusal is not about both. */
function readRoom(text: string): number | undefined {
	const found = TOGETHER.map((sentence) => sentence.exec(text)?.groups).find((groups) => groups !== undefined);
	if (found === undefined) return undefined;
	const { window, input = 0, total, output } = found;
	const prompt = total === undefined ? Number(input) : Number(total) - Number(output);
	return prompt > MOST_OF_WINDOW * Number(window) ? 0 : SHARE_OF_FREE * (Number(window) - prompt);
}

function readLimit(text: string): number {
	return Number(LIMITS.map((sentence) => sentence.exec(text)?.[1]).find((number) => number !== undefined));
}
