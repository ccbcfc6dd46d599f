import type { Splice } from "./apply-hunks.ts";
import { countLines, lastStarting, type TextFile, toBytes } from "./text-file.ts";

/** Replaces a range of text, by UTF-16 offsets. The edits of a file are in order and do not overlap. */
export interface Edit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** Converts splices to edits. Every added line gets a line end; an untouched last line without one stays as it is. */
export function toEdits(file: TextFile, splices: readonly Splice[]): readonly Edit[] {
	const { starts, newline, isEnded } = file;
	const lines = countLines(file);
	let endsOpen = !isEnded;
	return splices.map(({ at, remove, insert }) => {
		const start = starts[at] ?? file.text.length;
		const end = starts[at + remove] ?? file.text.length;
		const isBehindAll = at === lines;
		const before = isBehindAll && endsOpen && insert.length > 0 ? newline : "";
		// After lines were added at the end, or the last one was removed, every line there has an end.
		if (at + remove === lines && (isBehindAll ? insert.length > 0 : remove > 0)) endsOpen = false;
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

/** The same on the bytes of a UTF-8 file, most of which are only copied. */
export function spliceBytes(bytes: Uint8Array, { text, mark }: TextFile, edits: readonly Edit[]): Uint8Array {
	let [from, at] = [0, Buffer.byteLength(mark)];
	const isAscii = bytes.length - at === text.length;
	const sizeOf = (start: number, end: number) => (isAscii ? end - start : Buffer.byteLength(text.slice(start, end)));
	const parts = [bytes.subarray(0, at)];
	for (const edit of edits) {
		const kept = at + sizeOf(from, edit.start);
		parts.push(bytes.subarray(at, kept), toBytes(edit.text));
		at = kept + sizeOf(edit.start, edit.end);
		from = edit.end;
	}
	return Buffer.concat([...parts, bytes.subarray(at)]);
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
export function findPosition(file: TextFile, offset: number): Position {
	const { starts, isEnded } = file;
	const line = lastStarting(starts, offset, isEnded ? countLines(file) : countLines(file) - 1);
	return { line, character: offset - (starts[line] ?? 0) };
}
