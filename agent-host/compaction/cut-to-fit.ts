import { estimateTokens } from "../history/tokens.ts";
import { truncateMiddle } from "../history/truncate.ts";

/** A shorter piece of a message is useless. */
export const LEAST_PIECE = 40;
const MARK_TOKENS = 30;

/** The text, or its beginning and end within the token budget, or nothing if neither fits. */
export function cutToFit(text: string, tokens: number): string {
	if (estimateTokens(text) <= tokens) return text;
	// Beginning and end may be denser than the whole, so the result is measured again.
	for (let budget = tokens - MARK_TOKENS; budget >= LEAST_PIECE / 2; budget = Math.floor(budget * 0.7)) {
		const cut = truncateMiddle(text, budget);
		if (estimateTokens(cut) <= tokens) return cut;
	}
	return "";
}
