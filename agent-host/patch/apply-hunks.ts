import type { Hunk, HunkLine } from "./grammar.ts";
import { createLocator, type Locator, TooRepetitive } from "./locate-hunk.ts";
import type { Pieces } from "./pieces.ts";
import { countLines, lineAt, type TextFile } from "./text-file.ts";

/** Lines `at` to `at + remove`, counted from 0, are replaced. */
export interface Splice {
	readonly at: number;
	readonly remove: number;
	readonly insert: readonly string[];
}

export type Spliced =
	| { readonly ok: true; readonly splices: readonly Splice[] }
	/** Names the line, what was expected and what was found; the caller adds the file. */
	| { readonly ok: false; readonly reason: string };

/** Locates each hunk, in order. Context lines are not part of the splices. */
export function* locateHunks(file: TextFile, hunks: readonly Hunk[]): Pieces<Spliced> {
	const locator = createLocator(file, hunks.flatMap(listSought));
	const splices: Splice[] = [];
	let cursor = 0;
	try {
		for (const hunk of hunks) {
			const located = yield* locateHunk(file, locator, hunk, cursor);
			if (!located.ok) return located;
			for (const splice of located.splices) splices.push(splice);
			cursor = located.cursor;
		}
	} catch (error) {
		if (!(error instanceof TooRepetitive)) throw error;
		return { ok: false, reason: "its lines repeat too often to locate the hunks." };
	}
	// Lines added at the end come last, whichever hunk added them; the sort is stable.
	return { ok: true, splices: splices.toSorted((a, b) => a.at - b.at) };
}

/** The lines of a hunk that must be in the file. */
function listSought({ context, lines }: Hunk): readonly string[] {
	return [...context, ...oldLines(lines)];
}

type Located = { readonly ok: true; readonly splices: readonly Splice[]; readonly cursor: number } | Refusal;
type Refusal = { readonly ok: false; readonly reason: string };

function* locateHunk(file: TextFile, locator: Locator, hunk: Hunk, from: number): Pieces<Located> {
	let cursor = from;
	for (const line of hunk.context) {
		const at = yield* locator.find([line], cursor, "anywhere");
		if (at === undefined) return yield* mismatch(file, locator, [line], cursor);
		cursor = at + 1;
	}
	const old = oldLines(hunk.lines);
	if (old.length === 0) {
		if (hunk.isNumbered && countLines(file) > 0) return NO_PLACE;
		const insert = hunk.lines.map(({ text }) => text);
		return { ok: true, splices: [{ at: countLines(file), remove: 0, insert }], cursor };
	}
	const where = hunk.atEnd ? "end" : "anywhere";
	for (const lines of [hunk.lines, withoutLastEmpty(hunk.lines)]) {
		const block = oldLines(lines);
		const at = block.length === 0 ? undefined : yield* locator.find(block, cursor, where);
		if (at === undefined) continue;
		const other = hunk.isNumbered ? yield* locator.find(block, at + 1, where) : undefined;
		if (other !== undefined) return ambiguous(at, other);
		return { ok: true, splices: toSplices(lines, at), cursor: at + block.length };
	}
	return yield* mismatch(file, locator, old, cursor);
}

const NO_PLACE: Refusal = {
	ok: false,
	reason: "a hunk of new lines only: line numbers do not place it. Keep the line above them.",
};

function ambiguous(at: number, other: number): Refusal {
	const reason = `line ${at + 1}: the hunk also fits at line ${other + 1}, and line numbers do not place it: keep more lines, or write a line above the hunk after "@@".`;
	return { ok: false, reason };
}

function oldLines(lines: readonly HunkLine[]): readonly string[] {
	return lines.filter(({ kind }) => kind !== "add").map(({ text }) => text);
}

/** Models end a hunk with an empty line that the file does not have; it is then ignored. */
function withoutLastEmpty(lines: readonly HunkLine[]): readonly HunkLine[] {
	const lastOld = lines.findLastIndex(({ kind }) => kind !== "add");
	const lastNew = lines.findLastIndex(({ kind }) => kind !== "remove");
	if (lines[lastOld]?.text !== "") return lines;
	return lines.flatMap((line, index): readonly HunkLine[] => {
		if (index === lastNew && line.text === "") return [];
		if (index !== lastOld) return [line];
		return line.kind === "keep" ? [{ kind: "add", text: "" }] : [];
	});
}

function toSplices(lines: readonly HunkLine[], start: number): readonly Splice[] {
	const splices: { at: number; remove: number; insert: string[] }[] = [];
	let at = start;
	let open: { at: number; remove: number; insert: string[] } | undefined;
	for (const { kind, text } of lines) {
		if (kind === "keep") {
			open = undefined;
			at += 1;
			continue;
		}
		if (open === undefined) {
			open = { at, remove: 0, insert: [] };
			splices.push(open);
		}
		if (kind === "add") open.insert.push(text);
		else {
			open.remove += 1;
			at += 1;
		}
	}
	return splices;
}

function* mismatch(file: TextFile, locator: Locator, block: readonly string[], from: number): Pieces<Refusal> {
	const { at, fits } = yield* locator.nearest(block, from);
	const expected = quote(block[fits] ?? block[0] ?? "");
	if (fits === 0) {
		const after = from === 0 ? "no similar line in the file" : `no similar line after line ${from}`;
		const first = lineAt(file, from);
		const found = first === undefined ? "the file ends there" : `found ${quote(first)}`;
		return { ok: false, reason: `line ${from + 1}: expected ${expected}, ${found}; ${after}.` };
	}
	// All lines match, but not at the required place: the end of the file.
	if (fits === block.length) {
		return { ok: false, reason: `line ${at + fits}: expected the end of the file after ${quote(block.at(-1) ?? "")}.` };
	}
	const found = lineAt(file, at + fits);
	return {
		ok: false,
		reason: `line ${at + fits + 1}: expected ${expected}, found ${found === undefined ? "the end of the file" : quote(found)}.`,
	};
}

const MAX_QUOTED = 200;

function quote(line: string): string {
	return `"${line.length <= MAX_QUOTED ? line : `${line.slice(0, MAX_QUOTED)}…`}"`;
}
