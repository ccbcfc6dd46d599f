import type { TokenCount } from "../protocol/events.ts";

export const NO_TOKENS: TokenCount = { input: 0, cached: 0, output: 0, reasoning: 0, total: 0 };

const BASELINE_MAX = 12_000;

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
export function baselineFor(fixedPrefixTokens: number): number {
	return Math.min(BASELINE_MAX, fixedPrefixTokens);
}

/** Share of the effective window still free, the baseline left out on both sides. */
export function percentLeft(last: TokenCount, effectiveWindow: number, baseline: number): number {
	const room = Math.max(1, effectiveWindow - baseline);
	const used = Math.max(0, last.total - last.reasoning - baseline);
	return Math.max(0, Math.min(100, Math.round(((room - used) / room) * 100)));
}
