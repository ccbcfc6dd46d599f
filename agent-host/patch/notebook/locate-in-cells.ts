import { locateHunks } from "../apply-hunks.ts";
import type { Edit } from "../edit.ts";
import type { Hunk } from "../grammar.ts";
import type { Pieces } from "../pieces.ts";
import { countLines, splitText, type TextFile } from "../text-file.ts";
import { readCellLines, toCellLines } from "./cell-lines.ts";
import { readNotebook } from "./read-notebook.ts";
import { writeCells } from "./write-cells.ts";

export type LocatedEdits =
	| { readonly ok: true; readonly edits: readonly Edit[]; readonly added: number; readonly removed: number }
	| { readonly ok: false; readonly reason: string };

/** A patch of a notebook's cells as edits of its file; undefined if the file is no notebook. */
export function* locateInCells({ text }: TextFile, hunks: readonly Hunk[]): Pieces<LocatedEdits | undefined> {
	const notebook = readNotebook(text);
	if (notebook === undefined) return undefined;
	const lines = toCellLines(notebook);
	const shown = splitText(lines.map((line) => `${line}\n`).join(""));
	// Cells with other line ends than the usual one are not what the model would write.
	if ("refusal" in shown || countLines(shown) !== lines.length) return undefined;
	const located = yield* locateHunks(shown, hunks);
	if (!located.ok) return located;
	const changed = [...lines];
	for (const { at, remove, insert } of located.splices.toReversed()) changed.splice(at, remove, ...insert);
	const cells = readCellLines(changed);
	if (cells === undefined) return { ok: false, reason: 'its first line must be one such as "%% cell code".' };
	const written = writeCells(notebook, cells);
	if (!written.ok) return written;
	return {
		ok: true,
		edits: trimEdit(text, written.text),
		added: located.splices.reduce((sum, { insert }) => sum + insert.length, 0),
		removed: located.splices.reduce((sum, { remove }) => sum + remove, 0),
	};
}

/** One edit of whole lines, without those that both texts begin and end with. */
function trimEdit(before: string, after: string): readonly Edit[] {
	if (before === after) return [];
	const shorter = Math.min(before.length, after.length);
	let same = 0;
	while (same < shorter && before[same] === after[same]) same += 1;
	const start = before.lastIndexOf("\n", same - 1) + 1;
	let tail = 0;
	while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
	const lineEnd = before.indexOf("\n", before.length - tail);
	const end = lineEnd < 0 ? before.length : lineEnd + 1;
	return [{ start, end, text: after.slice(start, after.length - (before.length - end)) }];
}
