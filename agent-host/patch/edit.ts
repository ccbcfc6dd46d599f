import type { Splice } from "./apply-hunks.ts";
import type { TextFile } from "./text-file.ts";

/** A piece of text, by UTF-16 offsets, that gives way to another. Edits of a file are in order and do not overlap. */
export interface Edit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** Splices as edits. Every line that a patch adds gets an end; a last line without one that it leaves alone stays so. */
export function toEdits(file: TextFile, splices: readonly Splice[]): readonly Edit[] {
	const { starts, newline, isEnded, lines } = file;
	let endsOpen = !isEnded;
	return splices.map(({ at, remove, insert }) => {
		const start = starts[at] ?? file.text.length;
		const end = starts[at + remove] ?? file.text.length;
		const isBehindAll = at === lines.length;
		const before = isBehindAll && endsOpen && insert.length > 0 ? newline : "";
		// Once lines were put at the end, or the last one was taken out, nothing there is without an end.
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

/** The edits that lead back from `applyEdits(text, edits)` to `text`. */
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

/** Where an offset lies, as editors count: lines from 0, characters in UTF-16 units. */
export function positionOf({ starts, lines, isEnded }: TextFile, offset: number): Position {
	const last = isEnded ? lines.length : lines.length - 1;
	let [low, high] = [0, Math.max(0, last)];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((starts[middle] ?? Number.POSITIVE_INFINITY) <= offset) low = middle;
		else high = middle - 1;
	}
	return { line: low, character: offset - (starts[low] ?? 0) };
}
