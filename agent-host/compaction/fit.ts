import { compactedContext, compactedIntent } from "../context/fragments/compacted.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { cutToFit } from "./cut-to-fit.ts";
import { historyTokens, itemTokens } from "./measure.ts";

/** Long enough to show what a tool result was about. */
const SHORT_OUTPUT_TOKENS = 300;
const LEAST_ITEM_TOKENS = 100;

/**
 * Shrinks a copy of a history so that a model can summarize it within a token limit. Oldest first: long results are
 * shortened, then entries are removed together with their counterparts; the user's messages and what an earlier
 * compaction left go last.
 */
export function fitForSummary(items: readonly HistoryItem[], tokens: number): readonly HistoryItem[] {
	if (historyTokens(items) <= tokens) return items;
	const shortened = shortenOutputs(items, tokens);
	const withoutWork = dropOldest(shortened, tokens, (item) => item.kind !== "userMessage" && !isCarried(item));
	const fitting = dropOldest(withoutWork, tokens, () => true);
	// A single entry may exceed the limit.
	return fitting.length > 0 || items.length === 0 ? fitting : cutLast(shortened, tokens);
}

const CARRIED: ReadonlySet<string> = new Set([compactedIntent.kind, compactedContext.kind]);

/** True for entries that replace the history before them. */
function isCarried(item: HistoryItem): boolean {
	return item.kind === "sealedSummary" || (item.kind === "fragment" && CARRIED.has(item.fragment));
}

function shortenOutputs(items: readonly HistoryItem[], tokens: number): readonly HistoryItem[] {
	let over = historyTokens(items) - tokens;
	return items.map((item) => {
		if (over <= 0 || item.kind !== "toolOutput" || itemTokens(item) <= SHORT_OUTPUT_TOKENS) return item;
		const short = { ...item, output: cutToFit(item.output, SHORT_OUTPUT_TOKENS) };
		over -= itemTokens(item) - itemTokens(short);
		return short;
	});
}

function dropOldest(
	items: readonly HistoryItem[],
	tokens: number,
	mayGo: (item: HistoryItem) => boolean,
): readonly HistoryItem[] {
	let over = historyTokens(items) - tokens;
	if (over <= 0) return items;
	const sizes = Map.groupBy(items, (item) => ("callId" in item ? item.callId : item));
	const gone = new Set<string | HistoryItem>();
	for (const item of items) {
		if (over <= 0) break;
		const key = "callId" in item ? item.callId : item;
		if (gone.has(key) || !mayGo(item)) continue;
		gone.add(key);
		over -= historyTokens(sizes.get(key) ?? []);
	}
	return items.filter((item) => !gone.has("callId" in item ? item.callId : item));
}

function cutLast(items: readonly HistoryItem[], tokens: number): readonly HistoryItem[] {
	const last = items.findLast((item) => item.kind === "userMessage") ?? items.at(-1);
	const text = last !== undefined && "text" in last ? last.text : "";
	return [{ kind: "userMessage", text: cutToFit(text, Math.max(LEAST_ITEM_TOKENS, tokens - LEAST_ITEM_TOKENS)) }];
}
