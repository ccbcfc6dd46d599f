import type { Splice } from "./apply-hunks.ts";
import type { TextFile } from "./text-file.ts";

/** Replaces a range of text, by UTF-16 offsets. The edits of a file are in order and do not overlap. */
export interface Edit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** Converts splices to edits. Every added line gets a line end; an untouched last line without one stays as it is. */
export function toEdits(file: TextFile, splices: readonly Splice[]): readonly Edit[] {
	const { starts, newline, isEnded, lines } = file;
	let endsOpen = !isEnded;
	return splices.map(({ at, remove, insert }) => {
		const start = starts[at] ?? file.text.length;
		const end = starts[at + remove] ?? file.text.length;
		const isBehindAll = at === lines.length;
		const before = isBehindAll && endsOpen && insert.length > 0 ? newline : "";
		// After lines were added at the end, or the last one was removed, every line there has an end.
		if (at + remove === lines.length && (isBehindAll ? insert.length > 0 : remove > 0)) endsOpen = false;
		return { start, end, text: before + insert.map((line) => line + newline).join("") };
	});
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
	let from = 0;
	const parts = edits.flatMap((edit) => {
		const kept = text.slice(from, edit.start);
		from = edit.end;
		return [kept, edit.text];
	});
	return [...parts, text.slice(from)].join("");
}

/** The edits that turn `applyEdits(text, edits)` back into `text`. */
export function invertEdits(text: string, edits: readonly Edit[]): readonly Edit[] {
	let shift = 0;
	return edits.map((edit) => {
		const start = edit.start + shift;
		shift += edit.text.length - (edit.end - edit.start);
		return { start, end: start + edit.text.length, text: text.slice(edit.start, edit.end) };
	});
}

export interface Position {
	readonly line: number;
	readonly character: number;
}

/** An offset as editors count: lines from 0, characters in UTF-16 units. */
export function findPosition({ starts, lines, isEnded }: TextFile, offset: number): Position {
	const last = isEnded ? lines.length : lines.length - 1;
	let [low, high] = [0, Math.max(0, last)];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((starts[middle] ?? Number.POSITIVE_INFINITY) <= offset) low = middle;
		else high = middle - 1;
	}
	return { line: low, character: offset - (starts[low] ?? 0) };
}
