import { locateHunks } from "./apply-hunks.ts";
import { findConflict, type Named } from "./conflicts.ts";
import { applyEdits, type Edit, spliceBytes, toEdits } from "./edit.ts";
import type { Encoding } from "./encoding.ts";
import type { Hunk, Operation, Patch } from "./grammar.ts";
import { type LocatedEdits, locateInCells } from "./notebook/locate-in-cells.ts";
import { isNotebookPath } from "./notebook/read-notebook.ts";
import type { Pieces } from "./pieces.ts";
import {
	countLines,
	encodeText,
	readInPieces,
	readTextFile,
	splitInPieces,
	type TextFile,
	toBytes,
} from "./text-file.ts";

/** What exists at a path of the patch. */
export type Found = {
	/** The canonical path of the file, with all links resolved. */
	readonly resolved: string;
	/** Equal for two paths of one file. */
	readonly identity?: string;
	/** Of the file; absent for UTF-8. */
	readonly encoding?: Encoding | undefined;
	/** Permission bits of the file. */
	readonly mode?: number;
} & (
	| { readonly state: "absent" }
	| { readonly state: "file"; readonly bytes: Uint8Array }
	/** Text open in the editor; hunks must match it, not the file on disk. */
	| { readonly state: "document"; readonly bytes: Uint8Array; readonly text: string }
	/** A folder, a device or a read-only place, with the reason why nothing can be done there. */
	| { readonly state: "refused"; readonly reason: string }
);

/** One planned operation: only writing to the disk can still fail. */
export interface Change {
	readonly operation: "add" | "update" | "delete" | "move";
	readonly path: string;
	readonly resolved: string;
	readonly movedTo?: { readonly path: string; readonly resolved: string };
	/** The current content of `resolved`; absent for a new file. */
	readonly before?: Uint8Array;
	/** The new content, at `resolved` or at the move's target; absent for a deletion. */
	readonly after?: Uint8Array;
	/** For an update: the file's text before, and the edits. */
	readonly text?: TextFile;
	readonly edits: readonly Edit[];
	/** The text is that of an open document, which the file may differ from. */
	readonly isOpen?: true;
	/** Of both contents; absent for UTF-8. */
	readonly encoding?: Encoding;
	readonly added: number;
	readonly removed: number;
	/** The content that an addition or a move replaces. */
	readonly overwritten?: Uint8Array;
	/** Permission bits of a file that is removed, or of one that comes back. */
	readonly mode?: number;
}

export interface PatchProblem {
	readonly ok: false;
	/** The file at fault, as the patch names it. */
	readonly path?: string;
	readonly reason: string;
}

export type Plan = { readonly ok: true; readonly changes: readonly Change[] } | PatchProblem;

/** Plans a whole patch against the current files. One operation that does not fit refuses all. */
export function* planPatch(patch: Patch, find: (path: string) => Found): Pieces<Plan> {
	const conflict = findConflict(patch.operations.flatMap((operation) => listNames(operation, find)));
	if (conflict !== undefined) return { ok: false, ...conflict };
	const changes: Change[] = [];
	for (const operation of patch.operations) {
		yield;
		const change = yield* planOperation(operation, find);
		if ("ok" in change) return change;
		changes.push(change);
	}
	return { ok: true, changes };
}

function listNames(operation: Operation, find: (path: string) => Found): readonly Named[] {
	const paths = [
		operation.path,
		...(operation.kind === "update" && operation.movedTo !== undefined ? [operation.movedTo] : []),
	];
	return paths.map((path) => ({
		path,
		operation: operation.kind,
		resolved: find(path).resolved,
		identity: find(path).identity,
	}));
}

function* planOperation(operation: Operation, find: (path: string) => Found): Pieces<Change | PatchProblem> {
	const { path } = operation;
	const found = find(path);
	if (found.state === "refused") return refuse(path, found.reason);
	switch (operation.kind) {
		case "add":
			return planAdd(operation, found);
		case "delete": {
			if (found.state === "absent") return refuse(path, "does not exist, so it cannot be deleted.");
			const removed = countLinesIn(found.bytes);
			const { resolved, bytes: before } = found;
			return { operation: "delete", path, resolved, before, ...modeOf(found), edits: [], added: 0, removed };
		}
		case "update":
			if (found.state === "absent") return refuse(path, "does not exist, so it cannot be updated.");
			return yield* planUpdate(operation, found, operation.movedTo === undefined ? undefined : find(operation.movedTo));
	}
}

function modeOf({ mode }: Found): Pick<Change, "mode"> {
	return mode === undefined ? {} : { mode };
}

type ExistingFile = Extract<Found, { readonly bytes: Uint8Array }>;

function planAdd(
	{ path, lines }: Extract<Operation, { kind: "add" }>,
	found: Exclude<Found, { state: "refused" }>,
): Change {
	const after = toBytes(lines.map((line) => `${line}\n`).join(""));
	const overwritten = found.state === "absent" ? undefined : found.bytes;
	return {
		operation: "add",
		path,
		resolved: found.resolved,
		after,
		edits: [],
		added: lines.length,
		removed: overwritten === undefined ? 0 : countLinesIn(overwritten),
		...(overwritten === undefined ? {} : { before: overwritten, overwritten }),
	};
}

function* planUpdate(
	operation: Extract<Operation, { kind: "update" }>,
	found: ExistingFile,
	target: Found | undefined,
): Pieces<Change | PatchProblem> {
	const { path, movedTo } = operation;
	const { encoding } = found;
	const text = yield* found.state === "document" ? splitInPieces(found.text) : readInPieces(found.bytes, encoding);
	if ("refusal" in text) return refuse(path, `${text.refusal}.`);
	const located = yield* locateEdits(path, text, operation.hunks);
	if (!located.ok) return refuse(path, located.reason, ", ");
	yield;
	const { edits, added, removed } = located;
	const isBytes = found.state === "file" && encoding === undefined;
	const after = isBytes
		? spliceBytes(found.bytes, text, edits)
		: encodeText(text.mark + applyEdits(text.text, edits), encoding);
	if ("refusal" in after) return refuse(path, `${after.refusal}.`);
	const change: Change = {
		operation: "update",
		path,
		resolved: found.resolved,
		before: found.bytes,
		after,
		text,
		...(encoding && { encoding }),
		...(found.state === "document" && { isOpen: true as const }),
		edits,
		added,
		removed,
	};
	if (movedTo === undefined || target === undefined) return change;
	if (target.state === "refused") return refuse(movedTo, target.reason);
	return {
		...change,
		...modeOf(found),
		operation: "move",
		movedTo: { path: movedTo, resolved: target.resolved },
		...(target.state === "absent" ? {} : { overwritten: target.bytes }),
	};
}

/** A notebook is patched by its cells, as models read it; a patch of the file itself fits as well. */
function* locateEdits(path: string, text: TextFile, hunks: readonly Hunk[]): Pieces<LocatedEdits> {
	const inCells = isNotebookPath(path) ? yield* locateInCells(text, hunks) : undefined;
	if (inCells?.ok) return inCells;
	const located = yield* locateHunks(text, hunks);
	if (!located.ok) return inCells ?? located;
	return {
		ok: true,
		edits: toEdits(text, located.splices),
		added: located.splices.reduce((sum, { insert }) => sum + insert.length, 0),
		removed: located.splices.reduce((sum, { remove }) => sum + remove, 0),
	};
}

function countLinesIn(bytes: Uint8Array): number {
	const text = readTextFile(bytes);
	return "refusal" in text ? 0 : countLines(text);
}

function refuse(path: string, reason: string, between = " "): PatchProblem {
	return { ok: false, path, reason: `${path}${between}${reason}` };
}
