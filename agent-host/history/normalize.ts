import { imageOmitted } from "../context/fragments/image-omitted.ts";
import { asHistoryItem, type HistoryItem, type UserImage } from "./history-item.ts";
import { withoutMuted } from "./mute-item.ts";

type ToolCall = Extract<HistoryItem, { readonly kind: "toolCall" }>;

const MISSING_OUTPUT = "No result: the turn ended before this call finished.";

/**
 * History as a provider accepts it: every call has exactly one output, and every output has a call. Deterministic, so
 * that an unchanged history always gives the same bytes.
 */
export function normalizeHistory(items: readonly HistoryItem[]): readonly HistoryItem[] {
	const kept = withoutStrays(withoutMuted(items));
	const answered = new Set<string>();
	for (const item of kept) if (item.kind === "toolOutput") answered.add(item.callId);
	const isOpen = (item: HistoryItem): item is ToolCall => item.kind === "toolCall" && !answered.has(item.callId);
	// Of a long history, most of the time, nothing has to be copied.
	if (!kept.some(isOpen)) return kept;
	return kept.flatMap((item): readonly HistoryItem[] =>
		isOpen(item) ? [item, { kind: "toolOutput", callId: item.callId, output: MISSING_OUTPUT }] : [item],
	);
}

/** History for a model: if it cannot see images, a fixed text replaces each one. */
export function projectHistory(items: readonly HistoryItem[], sight: "images" | "text"): readonly HistoryItem[] {
	if (sight === "images" || !items.some(({ kind }) => kind === "userImage")) return items;
	return items.map((item) => (item.kind === "userImage" ? LEFT_OUT : item));
}

/** The same if it cannot see some of them. */
export function withoutImages(
	items: readonly HistoryItem[],
	isTooLarge: (image: UserImage) => boolean,
): readonly HistoryItem[] {
	return items.map((item) => (item.kind === "userImage" && isTooLarge(item) ? TOO_LARGE : item));
}

const TOO_LARGE = asHistoryItem(imageOmitted.of({ reason: "large" }));
const LEFT_OUT = asHistoryItem(imageOmitted.of({ reason: "blind" }));

/** The ids of all calls in a history. */
export function callIdsIn(items: readonly HistoryItem[]): ReadonlySet<string> {
	const ids = new Set<string>();
	for (const item of items) if (item.kind === "toolCall") ids.add(item.callId);
	return ids;
}

// Removes repeated calls and outputs, outputs without an earlier call, and empty fragments.
function withoutStrays(items: readonly HistoryItem[]): readonly HistoryItem[] {
	const called = new Set<string>();
	const answered = new Set<string>();
	return items.filter((item) => {
		// A placeholder in an imported thread; only its position counts.
		if (item.kind === "fragment" && item.text === "") return false;
		if (item.kind === "toolCall") return !called.has(item.callId) && called.add(item.callId);
		if (item.kind === "toolOutput") {
			return called.has(item.callId) && !answered.has(item.callId) && answered.add(item.callId);
		}
		return true;
	});
}
