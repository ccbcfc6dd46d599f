import type { ItemId, TurnId } from "../../protocol/ids.ts";
import type { GrowingKind } from "../../protocol/thread/item.ts";

/**
 * Limit for the kept output of a running call, or for a draft; of longer ones the end is kept. The complete text is in
 * the result.
 */
export const MAX_LIVE_OUTPUT = 65_536;

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
			const isWhole = item.itemKind === "agentMessage" || item.itemKind === "reasoning";
			if (isWhole || known.length <= MAX_LIVE_OUTPUT) return { offset, text };
			const kept = keepEnd(known.parts.join(""));
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

/** Half of the limit, so that the whole text is published again only occasionally. Begins at a line start. */
function keepEnd(text: string): string {
	const end = text.slice(-MAX_LIVE_OUTPUT / 2);
	return `[… earlier output is not shown while running …]\n${end.slice(end.indexOf("\n") + 1)}`;
}
