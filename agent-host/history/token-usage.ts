import type { TokenCount } from "../protocol/thread/events.ts";
import type { HistoryItem } from "./history-item.ts";

export const NO_TOKENS: TokenCount = { input: 0, cached: 0, output: 0, reasoning: 0, total: 0 };

export function addTokens(a: TokenCount, b: TokenCount): TokenCount {
	const written = (a.cacheWrite ?? 0) + (b.cacheWrite ?? 0);
	return {
		input: a.input + b.input,
		cached: a.cached + b.cached,
		output: a.output + b.output,
		reasoning: a.reasoning + b.reasoning,
		total: a.total + b.total,
		...(written === 0 ? {} : { cacheWrite: written }),
	};
}

/** The part of the window that every request needs and that does not count as used. */
export function baselineFor(fixedPrefixTokens: number, most: number): number {
	return Math.min(most, fixedPrefixTokens);
}

/** Tokens that the next request carries over from a request and its answer: all but reasoning that is not sent back. */
export function carriedTokens({ total, reasoning }: TokenCount, answer: readonly HistoryItem[]): number {
	const isSentBack = answer.some((item) => item.kind === "reasoning" && item.encrypted !== undefined);
	return isSentBack ? total : total - reasoning;
}

/**
 * Percentage of the effective window that is free after this many carried tokens, with the baseline subtracted on both
 * sides.
 */
export function percentLeft(carried: number, effectiveWindow: number, baseline: number): number {
	const usable = effectiveWindow - baseline;
	if (usable <= 0) return 0;
	const used = Math.max(0, carried - baseline);
	return Math.max(0, Math.min(100, Math.round(((usable - used) / usable) * 100)));
}
