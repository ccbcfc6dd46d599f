import type { ItemId, TurnId } from "../../protocol/ids.ts";
import type { GrowingKind } from "../../protocol/thread/item.ts";

/**
 * Limit for the kept output of a running call, or for a draft; of longer ones the end is kept. The complete text is in
 * the result.
 */
export const MAX_LIVE_OUTPUT = 65_536;
/** What is kept of longer ones, and published a second time. Of a draft only the newest lines are shown. */
const KEPT_CHARS = { output: MAX_LIVE_OUTPUT / 2, draft: 4_096 };

/** An item whose text is still growing. */
export interface GrowingItem {
	readonly turnId: TurnId;
	readonly itemId: ItemId;
	readonly itemKind: GrowingKind;
}

export interface LiveText extends GrowingItem {
	readonly text: string;
}

/** The growing texts of a thread: one of the model, or the outputs of parallel calls. */
export interface LiveTexts {
	/** Appends to a text. Returns what to publish and its offset: 0 if the beginning was dropped. */
	readonly append: (item: GrowingItem, text: string) => { readonly offset: number; readonly text: string };
	/** The most recently changed one comes first. */
	readonly read: () => readonly LiveText[];
	readonly end: (itemId: string) => void;
}

export function createLiveTexts(): LiveTexts {
	const texts = new Map<string, { readonly item: GrowingItem; parts: string[]; length: number }>();
	return {
		append: (item, text) => {
			const known = texts.get(item.itemId) ?? { item, parts: [], length: 0 };
			// Re-inserted, so that the most recently changed text is the last in the map.
			texts.delete(item.itemId);
			texts.set(item.itemId, known);
			const offset = known.length;
			known.parts.push(text);
			known.length += text.length;
			const isDraft = item.itemKind === "draft";
			const isWhole = item.itemKind === "agentMessage" || item.itemKind === "reasoning";
			// The beginning of a long piece of a draft would never be seen.
			const isLong = known.length > MAX_LIVE_OUTPUT || (isDraft && text.length > KEPT_CHARS.draft);
			if (isWhole || !isLong) return { offset, text };
			const kept = keepEnd(known.parts.join(""), isDraft ? KEPT_CHARS.draft : KEPT_CHARS.output);
			known.parts = [kept];
			known.length = kept.length;
			return { offset: 0, text: kept };
		},
		read: () => [...texts.values()].reverse().map(({ item, parts }) => ({ ...item, text: parts.join("") })),
		end: (itemId) => {
			texts.delete(itemId);
		},
	};
}

/** Much less than the limit, so that text is published again only occasionally. Begins at a line start. */
function keepEnd(text: string, chars: number): string {
	const end = text.slice(-chars);
	return `[… earlier output is not shown while running …]\n${end.slice(end.indexOf("\n") + 1)}`;
}
