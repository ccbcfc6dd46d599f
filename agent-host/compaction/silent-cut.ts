import { foldGrowing } from "../history/fold-growing.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { itemTokens } from "./measure.ts";

/** No server loads a smaller window: a smaller count is a mistake of its own. */
const LEAST_WINDOW = 1_024;
/** Smaller requests fit into any window that a server loads. */
const LEAST_EXPECTED = 3_000;
/** Our estimate is rough, but not by this much. */
const LEAST_SHARE = 0.7;

/**
 * The tokens that a request should have had, if a server has read much less of it: some drop the beginning of what does
 * not fit into their window, without an error. Undefined if nothing is missing, or if that cannot be told.
 */
export function findSilentCut(
	input: readonly HistoryItem[],
	/** Tokens of the request before its input. */
	fixed: number,
	/** Tokens of the request as the server counted them. */
	counted: number,
): number | undefined {
	if (counted < LEAST_WINDOW) return undefined;
	const expected = fixed + expectedTokens(input);
	const isCut = Number.isFinite(expected) && expected >= LEAST_EXPECTED && counted < LEAST_SHARE * expected;
	return isCut ? expected : undefined;
}

/** Few of the servers that cut get these back. */
const UNSENT: ReadonlySet<HistoryItem["kind"]> = new Set(["reasoning", "sealedSummary"]);

const expectedTokens = foldGrowing<HistoryItem, number>(
	() => 0,
	(sum, item) => {
		// What an image counts differs from model to model.
		if (item.kind === "userImage") return Number.NaN;
		return UNSENT.has(item.kind) ? sum : sum + itemTokens(item);
	},
);
