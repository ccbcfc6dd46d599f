import * as z from "zod";
import type { TokenCount } from "../../protocol/thread/events.ts";

/** A larger count is an error. */
const MOST_TOKENS = 100_000_000;

const Count = z.int().min(0).max(MOST_TOKENS);
const Details = z
	.object({
		cached_tokens: Count.nullish(),
		cache_write_tokens: Count.nullish(),
		cache_creation_tokens: Count.nullish(),
		reasoning_tokens: Count.nullish(),
	})
	.nullish();

// The wires name the same numbers differently; some servers count cache reads separately.
const Usage = z.object({
	input_tokens: Count.nullish(),
	prompt_tokens: Count.nullish(),
	output_tokens: Count.nullish(),
	completion_tokens: Count.nullish(),
	total_tokens: Count.nullish(),
	input_tokens_details: Details,
	prompt_tokens_details: Details,
	output_tokens_details: Details,
	completion_tokens_details: Details,
	prompt_cache_hit_tokens: Count.nullish(),
	cached_tokens: Count.nullish(),
	cache_read_input_tokens: Count.nullish(),
	cache_creation_input_tokens: Count.nullish(),
});

/** The usage that a server reports, or undefined if it makes no sense: then our estimate is used. */
export function readUsage(raw: unknown): TokenCount | undefined {
	// Most events have none, and a failed parse costs more memory than the event.
	if (typeof raw !== "object" || raw === null) return undefined;
	const parsed = Usage.safeParse(raw);
	if (!parsed.success) return undefined;
	const usage = parsed.data;
	// Some gateways send both names, and leave one of them empty or zero.
	const counted = usage.input_tokens || (usage.prompt_tokens ?? usage.input_tokens ?? undefined);
	const said = usage.output_tokens || (usage.completion_tokens ?? usage.output_tokens ?? undefined);
	if (counted === undefined || said === undefined || counted + said === 0) return undefined;
	const { cached, written } = readCache(usage);
	// Anthropic's counts stand beside each other, and no part can be larger than the whole.
	const isBeside = typeof usage.cache_read_input_tokens === "number" && usage.input_tokens === counted;
	const input = isBeside || cached > counted ? counted + cached + written : counted;
	if (cached + written > input) return undefined;
	const { output, reasoning } = readOutput(usage, said, input);
	const total = usage.total_tokens ?? input + output;
	if (total < counted || total < said) return undefined;
	return { input, cached, output, reasoning, total: input + output, ...(written === 0 ? {} : { cacheWrite: written }) };
}

type Usage = z.infer<typeof Usage>;

function readCache(usage: Usage): { readonly cached: number; readonly written: number } {
	const details = usage.input_tokens_details ?? usage.prompt_tokens_details;
	return {
		cached:
			details?.cached_tokens ??
			usage.cached_tokens ??
			usage.prompt_cache_hit_tokens ??
			usage.cache_read_input_tokens ??
			0,
		written: details?.cache_write_tokens ?? details?.cache_creation_tokens ?? usage.cache_creation_input_tokens ?? 0,
	};
}

/** Some servers count reasoning in addition to the output, others as a part of it, and some only in the total. */
function readOutput(
	usage: Usage,
	said: number,
	input: number,
): { readonly output: number; readonly reasoning: number } {
	const reasoning = (usage.output_tokens_details ?? usage.completion_tokens_details)?.reasoning_tokens ?? 0;
	const rest = Math.max(0, (usage.total_tokens ?? 0) - input - said);
	if (rest > 0 && rest >= reasoning) return { output: said + rest, reasoning: rest };
	return { output: reasoning > said ? said + reasoning : said, reasoning };
}
