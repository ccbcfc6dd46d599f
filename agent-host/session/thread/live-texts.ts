import type { ItemId, TurnId } from "../../protocol/ids.ts";
import type { GrowingKind } from "../../protocol/thread/item.ts";

/** Characters of a running call's output, or of a draft, that are kept to be shown; of more, the end. The result holds what counts. */
export const MAX_LIVE_OUTPUT = 65_536;

/** An item whose text still grows. */
export interface Growing {
	readonly turnId: TurnId;
	readonly itemId: ItemId;
	readonly itemKind: GrowingKind;
}

export interface LiveText extends Growing {
	readonly text: string;
}

/** The texts of a thread that grow right now: one of the model's, or the outputs of calls that run side by side. */
export interface LiveTexts {
	/** Adds to a text. What to publish of it, and from where on: from 0 when its beginning was let go. */
	readonly append: (item: Growing, text: string) => { readonly offset: number; readonly text: string };
	/** The one that grew last comes first. */
	readonly read: () => readonly LiveText[];
	readonly end: (itemId: string) => void;
}

export function createLiveTexts(): LiveTexts {
	const texts = new Map<string, { readonly item: Growing; parts: string[]; length: number }>();
	return {
		append: (item, text) => {
			const known = texts.get(item.itemId) ?? { item, parts: [], length: 0 };
			// Last in the map is the one that grew last.
			texts.delete(item.itemId);
			texts.set(item.itemId, known);
			const offset = known.length;
			known.parts.push(text);
			known.length += text.length;
			const isWhole = item.itemKind === "agentMessage" || item.itemKind === "reasoning";
			if (isWhole || known.length <= MAX_LIVE_OUTPUT) return { offset, text };
			const kept = endOf(known.parts.join(""));
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

/** Half of what may be kept, so that only every so often all of it is published again. Begins with a whole line. */
function endOf(text: string): string {
	const end = text.slice(-MAX_LIVE_OUTPUT / 2);
	return `[… earlier output is not shown while running …]\n${end.slice(end.indexOf("\n") + 1)}`;
}
