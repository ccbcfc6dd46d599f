import type { Change, PatchProblem } from "./plan-patch.ts";
import { readTextFile } from "./text-file.ts";

/** What a patch changed, to be recorded, shown and undone. No whole files: contents are named by their hash. */
export interface ChangeSet {
	readonly files: readonly FileChange[];
	readonly added: number;
	readonly removed: number;
}

/** What came of applying a patch. */
export type PatchOutcome =
	| {
			readonly ok: true;
			readonly changes: ChangeSet;
			/** Files whose new text is in the editor only: what is on the disk is older. */
			readonly unsaved: readonly string[];
	  }
	| PatchProblem;

export interface FileChange {
	/** As the patch names it. */
	readonly path: string;
	readonly resolved: string;
	readonly operation: "add" | "update" | "delete" | "move";
	readonly movedTo?: { readonly path: string; readonly resolved: string };
	/** SHA-256 of the content, where there is one. */
	readonly before?: string;
	readonly after?: string;
	/** Of a file that an addition or a move replaced. */
	readonly overwritten?: string;
	readonly added: number;
	readonly removed: number;
	readonly hunks: readonly ChangedHunk[];
	/** Hunks are missing because there were too many. */
	readonly cut?: boolean;
	/** The new text is in the editor only. */
	readonly unsaved?: boolean;
}

/** Lines are counted from 1, as they stand in the file before and after. */
export interface ChangedHunk {
	readonly from: number;
	readonly to: number;
	readonly removed: readonly string[];
	readonly added: readonly string[];
}

/** Characters of hunks that are kept of one file. */
const MAX_HUNK_CHARS = 32_768;
/** Hunks that are kept of one file; each is checked whenever the thread is read. */
const MAX_HUNKS = 1_000;
/** A whole file above this has more characters than that, whatever they are. */
const MAX_HUNK_BYTES = 4 * MAX_HUNK_CHARS;

/** What is recorded of a change. */
export function toFileChange(change: Change, hashOf: (bytes: Uint8Array) => string): FileChange {
	const { path, resolved, operation, movedTo, before, after, overwritten, added, removed } = change;
	const isHuge = change.text === undefined && (before?.length ?? 0) + (after?.length ?? 0) > MAX_HUNK_BYTES;
	const all = isHuge ? [] : hunksOf(change);
	const hunks = firstOf(all);
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

/** The same with every hunk, for somebody to decide about; a file that would be replaced is shown as removed. */
export function toWholeFileChange(change: Change, hashOf: (bytes: Uint8Array) => string): FileChange {
	const { cut: _, ...file } = toFileChange(change, hashOf);
	const replaced = linesOf(change.overwritten);
	const gone = replaced.length === 0 ? [] : [{ from: 1, to: 1, removed: replaced, added: [] }];
	return { ...file, hunks: [...gone, ...hunksOf(change)] };
}

/** Whether a diff cannot show the contents. */
export function isBinary({ before, after, overwritten }: Change): boolean {
	return [before, after, overwritten].some((bytes) => bytes !== undefined && "refusal" in readTextFile(bytes));
}

function hunksOf({ operation, text, edits, before, after }: Change): readonly ChangedHunk[] {
	if (text === undefined) {
		const [removed, added] = [linesOf(before), linesOf(operation === "delete" ? undefined : after)];
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

function linesOf(bytes: Uint8Array | undefined): readonly string[] {
	const text = bytes === undefined ? undefined : readTextFile(bytes);
	return text === undefined || "refusal" in text ? [] : text.lines;
}

function splitLines(text: string): readonly string[] {
	const lines = text.split(/\r\n|\n|\r/);
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function firstOf(hunks: readonly ChangedHunk[]): readonly ChangedHunk[] {
	let chars = 0;
	const end = hunks.findIndex(({ removed, added }, index) => {
		chars += [...removed, ...added].reduce((sum, line) => sum + line.length + 1, 0);
		return chars > MAX_HUNK_CHARS || index >= MAX_HUNKS;
	});
	return end < 0 ? hunks : hunks.slice(0, end);
}
