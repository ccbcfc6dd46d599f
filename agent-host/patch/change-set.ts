import type { Encoding } from "./encoding.ts";
import type { Change, PatchProblem } from "./plan-patch.ts";
import { decodeText, listLines, readTextFile } from "./text-file.ts";

/**
 * The changes of a patch, for recording, display and undo. It contains no whole files: contents are referred to by
 * hash.
 */
export interface ChangeSet {
	readonly files: readonly FileChange[];
	readonly added: number;
	readonly removed: number;
}

/** The result of applying a patch. */
export type PatchOutcome =
	| {
			readonly ok: true;
			readonly changes: ChangeSet;
			/** Files whose new text is only in the editor: the disk has an older version. */
			readonly unsaved: readonly string[];
	  }
	| PatchProblem;

export interface FileChange {
	/** As written in the patch. */
	readonly path: string;
	readonly resolved: string;
	readonly operation: "add" | "update" | "delete" | "move";
	readonly movedTo?: { readonly path: string; readonly resolved: string };
	/** SHA-256 of the content, if there is any. */
	readonly before?: string;
	readonly after?: string;
	/** Hash of a file that an addition or a move replaced. */
	readonly overwritten?: string;
	readonly added: number;
	readonly removed: number;
	readonly hunks: readonly ChangedHunk[];
	/** Some hunks are missing because there were too many. */
	readonly cut?: boolean;
	/** The new text is only in the editor. */
	readonly unsaved?: boolean;
}

/** Line numbers are 1-based, in the file before and after. */
export interface ChangedHunk {
	readonly from: number;
	readonly to: number;
	readonly removed: readonly string[];
	readonly added: readonly string[];
	/** The parts whose last line has no line end. Only in a hunk that is shown for an approval. */
	readonly unended?: readonly ("removed" | "added")[];
}

/** Limit for the hunk text that is kept per file. */
const MAX_HUNK_CHARS = 32_768;
/** Limit for the hunks kept per file; each is validated whenever the thread is read. */
const MAX_HUNKS = 1_000;
/** A file above this size has more characters than the limit in any encoding. */
const MAX_HUNK_BYTES = 4 * MAX_HUNK_CHARS;

/** The recorded form of a change. */
export function toFileChange(change: Change, hashOf: (bytes: Uint8Array) => string): FileChange {
	const { path, resolved, operation, movedTo, before, after, overwritten, added, removed } = change;
	const isHuge = change.text === undefined && (before?.length ?? 0) + (after?.length ?? 0) > MAX_HUNK_BYTES;
	const all = isHuge ? [] : toHunks(change);
	const hunks = limitHunks(all);
	return {
		path,
		resolved,
		operation,
		...(movedTo === undefined ? {} : { movedTo }),
		...(before === undefined ? {} : { before: hashOf(before) }),
		...(after === undefined ? {} : { after: hashOf(after) }),
		...(overwritten === undefined ? {} : { overwritten: hashOf(overwritten) }),
		added,
		removed,
		hunks,
		...(isHuge || hunks.length < all.length ? { cut: true } : {}),
	};
}

export function toChangeSet(files: readonly FileChange[]): ChangeSet {
	const sum = (key: "added" | "removed") => files.reduce((total, file) => total + file[key], 0);
	return { files, added: sum("added"), removed: sum("removed") };
}

/** The same with all hunks, for an approval; a file that would be replaced is shown as removed. */
export function toWholeFileChange(change: Change, hashOf: (bytes: Uint8Array) => string): FileChange {
	const { cut: _, ...file } = toFileChange(change, hashOf);
	return { ...file, hunks: toExactHunks(change) };
}

/** Whether a diff cannot show the contents. */
export function isBinary({ before, after, overwritten, encoding }: Change): boolean {
	const isText = (bytes: Uint8Array | undefined, as?: Encoding) =>
		bytes === undefined || !("refusal" in readTextFile(bytes, as));
	return !(isText(before, encoding) && isText(after, encoding) && isText(overwritten));
}

function toHunks({ operation, text, edits, before, after }: Change): readonly ChangedHunk[] {
	if (text === undefined) {
		const [removed, added] = [readLines(before), readLines(operation === "delete" ? undefined : after)];
		return removed.length + added.length === 0 ? [] : [{ from: 1, to: 1, removed, added }];
	}
	let shift = 0;
	let line = 0;
	return edits.map(({ start, end, text: inserted }) => {
		while ((text.starts[line] ?? start) < start) line += 1;
		const removed = splitLines(text.text.slice(start, end));
		const added = splitLines(inserted.slice(start === text.text.length && !text.isEnded ? text.newline.length : 0));
		const hunk = { from: line + 1, to: line + 1 + shift, removed, added };
		shift += added.length - removed.length;
		return hunk;
	});
}

/**
 * Hunks in which every byte counts: only a line feed ends a line, so that any other line end stays visible as part of
 * it, a missing one is marked, and a byte-order mark is part of the first line.
 */
function toExactHunks({ operation, text, edits, before, after, overwritten }: Change): readonly ChangedHunk[] {
	// What an addition replaces is its file before.
	const gone = operation === "move" ? toExactHunk(1, 1, readExactly(overwritten), "") : [];
	if (text === undefined) {
		const whole = toExactHunk(1, 1, readExactly(before), operation === "delete" ? "" : readExactly(after));
		return [...gone, ...whole];
	}
	let shift = 0;
	let line = 0;
	const hunks = edits.flatMap(({ start, end, text: inserted }) => {
		// Lines after one without a line end give it one.
		const isAfterLast = start === text.text.length && !text.isEnded;
		const from = isAfterLast ? (text.starts.at(-2) ?? 0) : start;
		while ((text.starts[line] ?? from) < from) line += 1;
		const [removed, added] = [text.text.slice(from, end), text.text.slice(from, start) + inserted];
		const hunk = toExactHunk(line + 1, line + 1 + shift, removed, added);
		for (const one of hunk) shift += one.added.length - one.removed.length;
		return hunk;
	});
	return [...gone, ...hunks];
}

function toExactHunk(from: number, to: number, removed: string, added: string): readonly ChangedHunk[] {
	if (removed === "" && added === "") return [];
	const parts = { removed, added };
	const unended = (["removed", "added"] as const).filter((part) => parts[part] !== "" && !parts[part].endsWith("\n"));
	return [
		{
			from,
			to,
			removed: splitExactly(removed),
			added: splitExactly(added),
			...(unended.length === 0 ? {} : { unended }),
		},
	];
}

function splitExactly(text: string): readonly string[] {
	const lines = text.split("\n");
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function readExactly(bytes: Uint8Array | undefined): string {
	const text = bytes === undefined ? "" : decodeText(bytes);
	return typeof text === "string" ? text : "";
}

function readLines(bytes: Uint8Array | undefined): readonly string[] {
	const text = bytes === undefined ? undefined : readTextFile(bytes);
	return text === undefined || "refusal" in text ? [] : listLines(text);
}

function splitLines(text: string): readonly string[] {
	const lines = text.split(/\r\n|\n|\r/);
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function limitHunks(hunks: readonly ChangedHunk[]): readonly ChangedHunk[] {
	let chars = 0;
	const end = hunks.findIndex(({ removed, added }, index) => {
		chars += [...removed, ...added].reduce((sum, line) => sum + line.length + 1, 0);
		return chars > MAX_HUNK_CHARS || index >= MAX_HUNKS;
	});
	return end < 0 ? hunks : hunks.slice(0, end);
}
