import type { HunkLine, Patch } from "./grammar.ts";
import { listLines, splitText } from "./text-file.ts";

interface Position {
	readonly line: number;
	readonly character: number;
}

/** A replacement by line and character, with what it replaces. */
export interface PlacedEdit {
	readonly start: Position;
	readonly end: Position;
	readonly old: string;
	readonly text: string;
}

export interface EditedFile {
	readonly path: string;
	/** What the edits are about. */
	readonly text: string;
	readonly edits: readonly PlacedEdit[];
}

/** The same changes as a patch, or why they do not fit. */
export function editsToPatch(
	files: readonly EditedFile[],
): { readonly ok: true; readonly patch: Patch } | { readonly ok: false; readonly reason: string } {
	const operations: Patch["operations"][number][] = [];
	for (const { path, text, edits } of files) {
		const lines = toHunkLines(text, edits);
		if (lines === undefined) return { ok: false, reason: `${path} has changed meanwhile. Try again.` };
		// From the file's first line on, so that no other place fits.
		if (lines.length > 0)
			operations.push({ kind: "update", path, hunks: [{ context: [], isNumbered: false, lines, atEnd: false }] });
	}
	return operations.length === 0
		? { ok: false, reason: "It would change nothing." }
		: { ok: true, patch: { operations } };
}

/** All lines up to the last changed one; undefined if an edit does not fit. */
function toHunkLines(text: string, edits: readonly PlacedEdit[]): readonly HunkLine[] | undefined {
	const file = splitText(text);
	if ("refusal" in file) return undefined;
	const lines = listLines(file);
	const hunk: HunkLine[] = [];
	let next = 0;
	for (const group of groupByLines(edits)) {
		const [first, last] = [group[0]?.start.line ?? 0, group.at(-1)?.end.line ?? 0];
		const old = lines.slice(first, last + 1);
		if (first < next || old.length !== last + 1 - first) return undefined;
		const changed = replaceIn(old, first, group);
		if (changed === undefined) return undefined;
		hunk.push(...lines.slice(next, first).map((line) => ({ kind: "keep" as const, text: line })));
		next = last + 1;
		if (changed.join("\n") === old.join("\n")) {
			hunk.push(...old.map((line) => ({ kind: "keep" as const, text: line })));
			continue;
		}
		hunk.push(...old.map((line) => ({ kind: "remove" as const, text: line })));
		hunk.push(...changed.map((line) => ({ kind: "add" as const, text: line })));
	}
	const end = hunk.findLastIndex(({ kind }) => kind !== "keep");
	return hunk.slice(0, end + 1);
}

/** In order; edits that share a line are together. */
function groupByLines(edits: readonly PlacedEdit[]): readonly (readonly PlacedEdit[])[] {
	const sorted = edits.toSorted((a, b) => a.start.line - b.start.line || a.start.character - b.start.character);
	const groups: PlacedEdit[][] = [];
	for (const edit of sorted) {
		const group = groups.at(-1);
		if (group !== undefined && edit.start.line <= (group.at(-1)?.end.line ?? -1)) group.push(edit);
		else groups.push([edit]);
	}
	return groups;
}

function replaceIn(old: readonly string[], first: number, edits: readonly PlacedEdit[]): readonly string[] | undefined {
	const text = old.join("\n");
	const starts = old.map((_, index) => old.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0));
	const offsetOf = ({ line, character }: Position): number => {
		const length = old[line - first]?.length ?? -1;
		return character > length ? -1 : (starts[line - first] ?? 0) + character;
	};
	const parts: string[] = [];
	let from = 0;
	for (const edit of edits) {
		const [start, end] = [offsetOf(edit.start), offsetOf(edit.end)];
		// Where the text differs from what the edits are about, they would hit something else.
		if (start < from || end < start || text.slice(start, end) !== toLineFeeds(edit.old)) return undefined;
		parts.push(text.slice(from, start), toLineFeeds(edit.text));
		from = end;
	}
	return [...parts, text.slice(from)].join("").split("\n");
}

function toLineFeeds(text: string): string {
	return text.replaceAll(/\r\n?/g, "\n");
}
