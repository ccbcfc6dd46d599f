import type { PublishedEvent } from "../protocol/thread/events.ts";
import type { CutPatch } from "../protocol/thread/item.ts";
import { countPatchedFiles, findPatch } from "../protocol/thread/patched-files.ts";

/** Arguments up to this length are sent whole. */
export const MAX_SENT_CHARS = 32_768;
/** What is sent of longer ones. */
const SENT_CHARS = 1_024;

/**
 * The event as a client is sent it: of a long patch, which the beginning and the end of its call both carry, the
 * beginning and its files. A client that needs all of it reads it with `thread/read`.
 */
export function cutPatch(published: PublishedEvent): PublishedEvent {
	const { event } = published;
	if (!("item" in event) || event.item.kind !== "fileChange") return published;
	const { item } = event;
	const cut = describeCut(item.arguments);
	if (cut === undefined) return published;
	return { ...published, event: { ...event, item: { ...item, arguments: cutText(item.arguments), cut } } };
}

/** A call ends with the arguments it began with. */
let newest: { readonly text: string; readonly cut: CutPatch | undefined } | undefined;

function describeCut(text: string): CutPatch | undefined {
	if (text.length <= MAX_SENT_CHARS) return undefined;
	if (newest?.text !== text) newest = { text, cut: measurePatch(text) };
	return newest.cut;
}

/** Undefined if it is no patch: then all of it is shown, so all of it is sent. */
function measurePatch(text: string): CutPatch | undefined {
	const patch = findPatch(text);
	if (patch === undefined) return undefined;
	const files = countPatchedFiles(patch).map(({ movedTo, ...file }) => {
		return { ...file, ...(movedTo === undefined ? {} : { movedTo }) };
	});
	return { characters: text.length, files };
}

/** Not in the middle of a character. */
function cutText(text: string): string {
	const isHigh = (text.charCodeAt(SENT_CHARS - 1) & 0xfc00) === 0xd800;
	return text.slice(0, isHigh ? SENT_CHARS - 1 : SENT_CHARS);
}
