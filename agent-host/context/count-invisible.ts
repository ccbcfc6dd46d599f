import { findNeededOrHidden, HIDDEN } from "../protocol/invisible.ts";

/** Counts the characters of a text that can hide something from its reader; the page shows exactly these as escapes. */
export function countInvisible(text: string): number {
	if (!HIDDEN.test(text)) return 0;
	let count = 0;
	for (const [, hidden] of text.replaceAll("\r\n", "\n").matchAll(findNeededOrHidden()))
		if (hidden !== undefined) count += 1;
	return count;
}
