import type { HistoryItem } from "./history-item.ts";

/** An item that the user can mute: what a tool returned, or what the model answered. */
export type MutableItem = Extract<HistoryItem, { kind: "toolOutput" | "agentMessage" }>;

/** Whether an item can be muted. Not the user's own messages, and not what the host keeps the model informed of. */
export function isMutable(item: HistoryItem | undefined): item is MutableItem {
	return item?.kind === "toolOutput" || item?.kind === "agentMessage";
}

/** The item's own text, also while it is muted. */
export function readMutable(item: MutableItem): string {
	return item.muted ?? (item.kind === "toolOutput" ? item.output : item.text);
}

/** What a model reads in place of a muted item. */
export function muteLine(item: MutableItem): string {
	const { length } = readMutable(item);
	return item.kind === "toolOutput"
		? `[The user muted this output of ${length} characters. Call the tool again if you need it.]`
		: `[The user muted this answer of ${length} characters.]`;
}

/** The item with a line in place of its text; without a line, with its own text again. */
export function withMute(item: MutableItem, line: string | undefined): MutableItem {
	const own = readMutable(item);
	const { muted: _, ...bare } = item;
	const muted = line === undefined ? {} : { muted: own };
	return bare.kind === "toolOutput"
		? { ...bare, output: line ?? own, ...muted }
		: { ...bare, text: line ?? own, ...muted };
}

/** An item as a model may get it: without a text that was muted. */
export function withoutMuted(item: HistoryItem): HistoryItem {
	if (!("muted" in item)) return item;
	const { muted: _, ...sent } = item;
	if (sent.kind !== "agentMessage") return sent;
	// What goes back to the provider unchanged contains the text, too.
	const { extra: __, ...bare } = sent;
	return bare;
}
