import { MAX_QUERY_CHARS } from "../../wire/limits.ts";

/** A mention that is being written: where its @ stands, and what follows up to the caret. */
export interface MentionStart {
	readonly start: number;
	readonly query: string;
}

/** The mention in which the caret stands. An @ inside of a word, as in an address, begins none. */
export function readMention(text: string, caret: number): MentionStart | undefined {
	const from = Math.max(0, caret - MAX_QUERY_CHARS);
	const [, before, query] = /(^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(from, caret)) ?? [];
	if (query === undefined || before === undefined) return undefined;
	const start = caret - query.length - 1;
	// Cut out of a longer word, the @ only looks like a beginning.
	if (before === "" && start > 0) return undefined;
	return { start, query };
}

/** The text with the mention in full, and the caret behind it. */
export function insertMention(
	text: string,
	{ start, query }: MentionStart,
	name: string,
): { readonly text: string; readonly caret: number } {
	const rest = text.slice(start + 1 + query.length);
	const gap = /^\s/.test(rest) ? "" : " ";
	return { text: `${text.slice(0, start)}@${name}${gap}${rest}`, caret: start + 1 + name.length + 1 };
}
