import type { Fragment } from "../../context/fragment.ts";
import { asHistoryItem, type HistoryItem } from "../../history/history-item.ts";

/** What a turn adds to the history before its first request. */
export interface Opening {
	/** What the model is told about the world. */
	readonly told: readonly Fragment[];
	/** The prompt and its images. */
	readonly prompt: readonly HistoryItem[];
	/** What the prompt invoked. */
	readonly invoked: readonly Fragment[];
}

/** The same in the order in which it is sent. */
export function openingItems({ told, prompt, invoked }: Opening): readonly HistoryItem[] {
	return [...told.map(asHistoryItem), ...prompt, ...invoked.map(asHistoryItem)];
}
