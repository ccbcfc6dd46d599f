import { historyBridge } from "../context/fragments/compacted.ts";
import type { HistoryItem, UserImage } from "../history/history-item.ts";
import { itemTokens } from "./measure.ts";

/** The images of user messages, also of messages that a compaction has moved; without duplicates. */
export function listImages(items: readonly HistoryItem[], messages: readonly string[]): readonly UserImage[] {
	// A compaction puts the images it keeps between the messages and its bridge, whichever message they belong to.
	const bridge = items.findLastIndex((item) => item.kind === "fragment" && item.fragment === historyBridge.kind);
	const found = messages.flatMap((message) => {
		const at = items.findLastIndex((item) => holds(item, message));
		if (at < 0) return [];
		const after = imagesFrom(items, at + 1);
		return at < bridge && after.length === 0 ? imagesBefore(items, bridge) : after;
	});
	return [...new Set(found)];
}

function imagesFrom(items: readonly HistoryItem[], start: number): readonly UserImage[] {
	const end = items.findIndex(({ kind }, index) => index >= start && kind !== "userImage");
	return items.slice(start, end < 0 ? items.length : end).filter((item) => item.kind === "userImage");
}

function imagesBefore(items: readonly HistoryItem[], end: number): readonly UserImage[] {
	const start = items.findLastIndex(({ kind }, index) => index < end && kind !== "userImage") + 1;
	return imagesFrom(items.slice(0, end), start);
}

/** As many images as fit. */
export function fitImages(images: readonly UserImage[], tokens: number): readonly UserImage[] {
	let left = tokens;
	return images.filter((image) => {
		left -= itemTokens(image);
		return left >= 0;
	});
}

function holds(item: HistoryItem, message: string): boolean {
	if (item.kind === "userMessage") return item.text === message;
	return item.kind === "fragment" && (item.quotes?.includes(message) ?? false);
}
