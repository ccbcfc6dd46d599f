import { estimateTokens } from "../history/tokens.ts";
import { truncateMiddle } from "../history/truncate.ts";

/** Less than this of a message tells nobody anything. */
export const LEAST_PIECE = 40;
const MARK_TOKENS = 30;

/** The text, or its beginning and end in so many tokens, or nothing when there is no room for either. */
export function cutToFit(text: string, tokens: number): string {
	if (estimateTokens(text) <= tokens) return text;
	// Beginning and end may be denser than the whole, so what was kept is measured again.
	for (let budget = tokens - MARK_TOKENS; budget >= LEAST_PIECE / 2; budget = Math.floor(budget * 0.7)) {
		const cut = truncateMiddle(text, budget);
		if (estimateTokens(cut) <= tokens) return cut;
	}
	return "";
}
