import { MAX_QUERY_CHARS } from "../../../agent-host/protocol/limits.ts";

/** A mention that is being typed: position of its @, and the text from there to the caret. */
export interface MentionStart {
	readonly start: number;
	readonly query: string;
}

/** Finds the mention at the caret. An @ inside a word, as in an e-mail address, does not start one. */
export function readMention(text: string, caret: number): MentionStart | undefined {
	const from = Math.max(0, caret - MAX_QUERY_CHARS);
	const [, before, query] = /(^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(from, caret)) ?? [];
	if (query === undefined || before === undefined) return undefined;
	const start = caret - query.length - 1;
	// The window was cut inside a word, so this @ is not at its start.
	if (before === "" && start > 0) return undefined;
	return { start, query };
}

/** Inserts the full mention and returns the text with the caret after it. */
export function insertMention(
	text: string,
	{ start, query }: MentionStart,
	name: string,
): { readonly text: string; readonly caret: number } {
	const rest = text.slice(start + 1 + query.length);
	const gap = /^\s/.test(rest) ? "" : " ";
	return { text: `${text.slice(0, start)}@${name}${gap}${rest}`, caret: start + 1 + name.length + 1 };
}
