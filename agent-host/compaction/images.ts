import type { HistoryItem, UserImage } from "../history/item.ts";
import { itemTokens } from "./measure.ts";

/** The images that came with messages of the user's, wherever a compaction has put the messages since; each once. */
export function imagesWith(items: readonly HistoryItem[], messages: readonly string[]): readonly UserImage[] {
	const found = messages.flatMap((message) => {
		const at = items.findLastIndex((item) => holds(item, message));
		const rest = at < 0 ? [] : items.slice(at + 1);
		const end = rest.findIndex(({ kind }) => kind !== "userImage");
		return (end < 0 ? rest : rest.slice(0, end)) as readonly UserImage[];
	});
	return [...new Set(found)];
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
