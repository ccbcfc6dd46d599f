import type { UserInput } from "../../agent-host/protocol/thread/turn.ts";

/** Longest text of one chip. */
export const MAX_TEXT_CHARS = 20_000;

/** Space for the line that says how much was left out. */
const CUT_NOTE_CHARS = 100;
const MAX_TITLE_CHARS = 300;

export interface Lines {
	/** Counted from 1. */
	readonly from: number;
	readonly to: number;
}

/** The part of a range that fits into a chip: as many whole lines as possible, at least the first. */
export function fittingLines(lineAt: (line: number) => string, { from, to }: Lines): Lines {
	let chars = 0;
	for (let line = from; line <= to; line += 1) {
		chars += lineAt(line).length + 1;
		if (chars > MAX_TEXT_CHARS) return { from, to: Math.max(from, line - 1) };
	}
	return { from, to };
}

export function joinLines(lineAt: (line: number) => string, { from, to }: Lines): string {
	const lines = Array.from({ length: to - from + 1 }, (_, index) => lineAt(from + index));
	return cutText(lines.join("\n"));
}

/** A text for the model, with a title that says what it is. */
export function toExcerpt(title: string, text: string): Extract<UserInput, { kind: "excerpt" }> {
	return { kind: "excerpt", title: title.slice(0, MAX_TITLE_CHARS), text: cutText(text) };
}

/** Cuts a text that is too long and adds a line that says so. */
export function cutText(text: string): string {
	if (text.length <= MAX_TEXT_CHARS) return text;
	return `${text.slice(0, MAX_TEXT_CHARS)}\n[cut off: ${text.length - MAX_TEXT_CHARS} more characters]`;
}

/** The end of a terminal's text, without trailing empty lines. */
export function lastText(text: string): string {
	const said = text.trimEnd();
	if (said.length <= MAX_TEXT_CHARS) return said;
	const kept = said.slice(-MAX_TEXT_CHARS + CUT_NOTE_CHARS);
	return `[cut off: ${said.length - kept.length} characters before this]\n${kept}`;
}

export function rangeLabel(name: string, { from, to }: Lines): string {
	return from === to ? `${name}:${from}` : `${name}:${from}-${to}`;
}
