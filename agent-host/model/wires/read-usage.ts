import * as z from "zod";
import type { TokenCount } from "../../protocol/thread/events.ts";

/** A larger count is an error. */
const MOST_TOKENS = 100_000_000;

const Count = z.int().min(0).max(MOST_TOKENS);
const Details = z.object({ cached_tokens: Count.nullish(), reasoning_tokens: Count.nullish() }).nullish();

// The two wires name the same numbers differently; some servers count cache reads separately.
const Usage = z.object({
	input_tokens: Count.optional(),
	prompt_tokens: Count.optional(),
	output_tokens: Count.optional(),
	completion_tokens: Count.optional(),
	total_tokens: Count.nullish(),
	input_tokens_details: Details,
	prompt_tokens_details: Details,
	output_tokens_details: Details,
	completion_tokens_details: Details,
	prompt_cache_hit_tokens: Count.nullish(),
});

/** The usage that a server reports, or undefined if it makes no sense: then our estimate is used. */
export function readUsage(raw: unknown): TokenCount | undefined {
	const parsed = Usage.safeParse(raw);
	if (!parsed.success) return undefined;
	const usage = parsed.data;
	const input = usage.input_tokens ?? usage.prompt_tokens;
	const said = usage.output_tokens ?? usage.completion_tokens;
	if (input === undefined || said === undefined || input + said === 0) return undefined;
	const cached =
		(usage.input_tokens_details ?? usage.prompt_tokens_details)?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
	const reasoning = (usage.output_tokens_details ?? usage.completion_tokens_details)?.reasoning_tokens ?? 0;
	// Some servers count reasoning in addition to the output, others as a part of it.
	const output = reasoning > said ? said + reasoning : said;
	const total = usage.total_tokens ?? input + output;
	if (cached > input || total < input || total < output) return undefined;
	return { input, cached, output, reasoning, total: input + output };
}
