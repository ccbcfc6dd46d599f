import * as z from "zod";

/** From the least to the most. */
export const ReasoningEffort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

/**
 * Only http and https reach a network client; everything else is refused here. A name and password in an address would
 * be written to every thread, and be sent to nobody. A slash at the end of the path is left out, so that an address is
 * known in both forms.
 */
export const BaseUrl = z
	.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" })
	.refine((url) => !namesUser(url), { error: "must not contain a user name or password" })
	.overwrite(withoutLastSlash);

function withoutLastSlash(url: string): string {
	return url.replace(/^([^?#]*[^/?#])\/+(?=[?#]|$)/, "$1");
}

/** Whether an address has a user name or a password before its host. */
export function namesUser(url: string): boolean {
	const parsed = URL.parse(url);
	return parsed !== null && (parsed.username !== "" || parsed.password !== "");
}

/** The API of a server: OpenAI's Responses or Chat Completions, Anthropic's Messages, or Gemini's own. */
export const Wire = z.enum(["responses", "chat", "messages", "gemini"]);
export type Wire = z.infer<typeof Wire>;

/**
 * US dollars per million tokens. Cache reads and writes cost as much as other input if they have no separate price.
 */
export const Price = z.object({
	input: z.number().min(0).max(1_000_000),
	cached: z.number().min(0).max(1_000_000).optional(),
	cacheWrite: z.number().min(0).max(1_000_000).optional(),
	output: z.number().min(0).max(1_000_000),
});
export type Price = z.infer<typeof Price>;

/** A context window in tokens. */
export const WindowTokens = z.int().min(1_024).max(100_000_000);
