import type { TokenCount } from "../protocol/thread/events.ts";
import type { HistoryItem } from "./history-item.ts";

export const NO_TOKENS: TokenCount = { input: 0, cached: 0, output: 0, reasoning: 0, total: 0 };

export function addTokens(a: TokenCount, b: TokenCount): TokenCount {
	return {
		input: a.input + b.input,
		cached: a.cached + b.cached,
		output: a.output + b.output,
		reasoning: a.reasoning + b.reasoning,
		total: a.total + b.total,
	};
}

/** The part of the window that every request needs, whatever was said: not counted as used. */
export function baselineFor(fixedPrefixTokens: number, most: number): number {
	return Math.min(most, fixedPrefixTokens);
}

/** What of a request and its answer the next request carries: all but reasoning that is not sent back. */
export function carriedTokens({ total, reasoning }: TokenCount, answer: readonly HistoryItem[]): number {
	const isSentBack = answer.some((item) => item.kind === "reasoning" && item.encrypted !== undefined);
	return isSentBack ? total : total - reasoning;
}

/** Share of the effective window still free once so many tokens are carried on, the baseline left out on both sides. */
export function percentLeft(carried: number, effectiveWindow: number, baseline: number): number {
	const room = effectiveWindow - baseline;
	if (room <= 0) return 0;
	const used = Math.max(0, carried - baseline);
	return Math.max(0, Math.min(100, Math.round(((room - used) / room) * 100)));
}
