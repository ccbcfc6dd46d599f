import { imageOmitted } from "../context/fragments/image-omitted.ts";
import { foldGrowing } from "./fold-growing.ts";
import { asHistoryItem, type HistoryItem, type UserImage } from "./history-item.ts";
import { withoutMuted } from "./mute-item.ts";

type ToolCall = Extract<HistoryItem, { readonly kind: "toolCall" }>;

const MISSING_OUTPUT = "No result: the turn ended before this call finished.";

/**
 * History as a provider accepts it: every call has exactly one output, and every output has a call. Deterministic, so
 * that an unchanged history always gives the same bytes.
 */
export function normalizeHistory(items: readonly HistoryItem[]): readonly HistoryItem[] {
	const { kept, open } = keepPaired(items);
	if (open.size === 0) return kept.slice();
	const isOpen = (item: HistoryItem): item is ToolCall => item.kind === "toolCall" && open.has(item.callId);
	return kept.flatMap((item): readonly HistoryItem[] =>
		isOpen(item) ? [item, { kind: "toolOutput", callId: item.callId, output: MISSING_OUTPUT }] : [item],
	);
}

interface Paired {
	readonly kept: HistoryItem[];
	readonly called: Set<string>;
	/** Calls without an output. */
	readonly open: Set<string>;
}

// Leaves out repeated calls and outputs, outputs without an earlier call, empty fragments and muted texts.
const keepPaired = foldGrowing<HistoryItem, Paired>(
	() => ({ kept: [], called: new Set(), open: new Set() }),
	(paired, item) => {
		if (isPaired(paired, item)) paired.kept.push(withoutMuted(item));
		return paired;
	},
);

function isPaired({ called, open }: Paired, item: HistoryItem): boolean {
	switch (item.kind) {
		case "fragment":
			// A placeholder in an imported thread; only its position counts.
			return item.text !== "";
		case "toolCall":
			if (called.has(item.callId)) return false;
			called.add(item.callId);
			open.add(item.callId);
			return true;
		case "toolOutput":
			return open.delete(item.callId);
		case "userMessage":
		case "userImage":
		case "agentMessage":
		case "reasoning":
		case "sealedSummary":
			return true;
	}
}

/** History for a model: if it cannot see images, a fixed text replaces each one. */
export function projectHistory(items: readonly HistoryItem[], sight: "images" | "text"): readonly HistoryItem[] {
	if (sight === "images" || !hasImages(items)) return items;
	return replaceImages(items, (_, from) => BLIND[from]);
}

const hasImages = foldGrowing<HistoryItem, boolean>(
	() => false,
	(found, { kind }) => found || kind === "userImage",
);

/** The same if it cannot see some of them. */
export function withoutImages(
	items: readonly HistoryItem[],
	isTooLarge: (image: UserImage) => boolean,
): readonly HistoryItem[] {
	return replaceImages(items, (image, from) => (isTooLarge(image) ? LARGE[from] : image));
}

/** An image belongs to the item before it and its images: a message of the user, or the result of a tool. */
function replaceImages(
	items: readonly HistoryItem[],
	replace: (image: UserImage, from: "user" | "tool") => HistoryItem,
): readonly HistoryItem[] {
	let from: "user" | "tool" = "user";
	return items.map((item) => {
		if (item.kind === "userImage") return replace(item, from);
		from = item.kind === "toolOutput" ? "tool" : "user";
		return item;
	});
}

const BLIND = nameOmitted("blind");
const LARGE = nameOmitted("large");

function nameOmitted(reason: "blind" | "large"): Readonly<Record<"user" | "tool", HistoryItem>> {
	const omit = (from: "user" | "tool") => asHistoryItem(imageOmitted.of({ from, reason }));
	return { user: omit("user"), tool: omit("tool") };
}

/** The ids of all calls in a history. */
export function callIdsIn(items: readonly HistoryItem[]): ReadonlySet<string> {
	return new Set(listCallIds(items));
}

const listCallIds = foldGrowing<HistoryItem, string[]>(
	() => [],
	(ids, item) => {
		if (item.kind === "toolCall") ids.push(item.callId);
		return ids;
	},
);
