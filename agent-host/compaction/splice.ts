import { compactedIntent, historyBridge } from "../context/fragments/compacted.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { TurnStart } from "./plan-compaction.ts";

export interface NewHistory {
	readonly items: readonly HistoryItem[];
	readonly starts: readonly TurnStart[];
}

/**
 * Inserts the restated world before the last user messages, so that in the middle of a turn the model reads
 * permissions, folder and instructions from their source and the summary stays last.
 */
export function spliceWorld({ items, starts }: NewHistory, world: readonly HistoryItem[]): NewHistory {
	const at = placeFor(items);
	return {
		items: [...items.slice(0, at), ...world, ...items.slice(at)],
		starts: starts.map((start) => (start.at >= at ? { ...start, at: start.at + world.length } : start)),
	};
}

function placeFor(items: readonly HistoryItem[]): number {
	const isFragment = (kind: string) => (item: HistoryItem) => item.kind === "fragment" && item.fragment === kind;
	const places = [
		items.findLastIndex((item) => item.kind === "userMessage"),
		items.findLastIndex(isFragment(compactedIntent.kind)),
		items.findLastIndex(isFragment(historyBridge.kind)),
	];
	return places.find((place) => place >= 0) ?? items.length;
}
