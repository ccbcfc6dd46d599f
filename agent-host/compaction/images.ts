import { historyBridge } from "../context/fragments/compacted.ts";
import type { HistoryItem, UserImage } from "../history/history-item.ts";
import { itemTokens } from "./measure.ts";

/** The images that came with messages of the user's, wherever a compaction has put the messages since; each once. */
export function imagesWith(items: readonly HistoryItem[], messages: readonly string[]): readonly UserImage[] {
	// A compaction puts those that it keeps between the words and its bridge, whichever of the words they came with.
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

/** As many of the images as there is room for. */
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
