import * as z from "zod";
import type { TokenCount } from "../../../protocol/thread/events.ts";

/** A larger count is an error. */
const MOST_TOKENS = 100_000_000;

const Count = z.int().min(0).max(MOST_TOKENS).nullish().catch(undefined);

/** Input that was read from the cache or written to it is counted beside the rest. */
const Usage = z.object({
	input_tokens: Count,
	cache_creation_input_tokens: Count,
	cache_read_input_tokens: Count,
	output_tokens: Count,
});

type Counted = Partial<Pick<TokenCount, "input" | "cached" | "output">>;

/** What one event reports; a count that it leaves out is unknown. */
export function readMessagesUsage(raw: unknown): Counted {
	const parsed = Usage.safeParse(raw);
	if (!parsed.success) return {};
	const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = parsed.data;
	const cached = cache_read_input_tokens ?? 0;
	const input = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + cached;
	return {
		...(input === 0 ? {} : { input, cached }),
		...(output_tokens === null || output_tokens === undefined ? {} : { output: output_tokens }),
	};
}

/** Later events repeat the counts as they are by then. Without input there is no usage. */
export function addUsage(before: TokenCount | undefined, { input, cached, output }: Counted): TokenCount | undefined {
	const now = {
		input: input ?? before?.input ?? 0,
		cached: cached ?? before?.cached ?? 0,
		output: output ?? before?.output ?? 0,
	};
	return now.input === 0 ? before : { ...now, reasoning: 0, total: now.input + now.output };
}
