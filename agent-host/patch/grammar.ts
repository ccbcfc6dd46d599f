import { type PatchEvent, type Place, readLine, START } from "./read-line.ts";

/** A parsed patch: operations on files, not yet compared with any. */
export interface Patch {
	readonly operations: readonly Operation[];
}

/** Paths are as written: relative to the working folder, or absolute. */
export type Operation =
	| { readonly kind: "add"; readonly path: string; readonly lines: readonly string[] }
	| { readonly kind: "delete"; readonly path: string }
	| {
			readonly kind: "update";
			readonly path: string;
			readonly movedTo?: string;
			readonly hunks: readonly Hunk[];
	  };

export interface Hunk {
	/** Lines above the hunk, each below the one before; the search for them starts at the end of the previous hunk. */
	readonly context: readonly string[];
	/** Its head has line numbers. Models miscount them, so its old lines must be in one place only. */
	readonly isNumbered: boolean;
	readonly lines: readonly HunkLine[];
	/** The hunk's old lines are the last lines of the file. */
	readonly atEnd: boolean;
}

export interface HunkLine {
	readonly kind: "keep" | "add" | "remove";
	readonly text: string;
}

export type ParsedPatch =
	| { readonly ok: true; readonly patch: Patch }
	| { readonly ok: false; readonly reason: string };

/** Longest patch that is read, in characters. */
export const MAX_PATCH_CHARS = 16_000_000;

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";

/** Parses a whole patch, or says what is wrong with it and where. */
export function parsePatch(text: string): ParsedPatch {
	if (text.length > MAX_PATCH_CHARS) return refuse(`The patch has more than ${MAX_PATCH_CHARS} characters.`);
	if (!text.isWellFormed()) return refuse("The patch contains an unpaired surrogate.");
	const { lines, first } = unwrap(splitPatch(text));
	if (lines[0]?.trim() !== BEGIN) return refuse(`The first line of a patch must be "${BEGIN}".`);
	if (lines.length < 2 || lines.at(-1)?.trim() !== END) return refuse(`The last line of a patch must be "${END}".`);
	const operations: Draft[] = [];
	let place: Place = START;
	for (const [index, line] of lines.slice(1, -1).entries()) {
		const read = readLine(place, line);
		if ("problem" in read) return refuse(`Line ${first + index + 1} of the patch: ${read.problem}`);
		if (read.event !== undefined) collect(operations, read.event);
		place = read.place;
	}
	const unfinished = findEndProblem(place);
	if (unfinished !== undefined) return refuse(`Line ${first + lines.length - 1} of the patch: ${unfinished}`);
	if (operations.length === 0) return refuse("The patch changes no file.");
	return { ok: true, patch: { operations: operations.map(finish) } };
}

/** The problem if the patch ends here, in the middle of something. */
function findEndProblem(place: Place): string | undefined {
	const read = readLine(place, "*** Delete File: any");
	return "problem" in read ? read.problem : undefined;
}

function splitPatch(text: string): readonly string[] {
	return text
		.trim()
		.split("\n")
		.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

const MIN_WRAPPED_LINES = 4;
const HEREDOC = /^(?:apply_patch )?<<-?\s*(["']?)([A-Za-z_]\w*)\1\s*$/;
const FENCE = /^(```+)[\w-]*$/;

/** Models wrap a patch in a heredoc as in a shell, or in a code block; only its content counts. */
function unwrap(lines: readonly string[]): { readonly lines: readonly string[]; readonly first: number } {
	const opening = lines[0] ?? "";
	const closing = HEREDOC.exec(opening)?.[2] ?? FENCE.exec(opening)?.[1];
	const wrapped = closing !== undefined && lines.length >= MIN_WRAPPED_LINES && lines.at(-1)?.trim() === closing;
	return wrapped ? { lines: splitPatch(lines.slice(1, -1).join("\n")), first: 2 } : { lines, first: 1 };
}

interface DraftHunk {
	readonly context: string[];
	readonly isNumbered: boolean;
	readonly lines: HunkLine[];
	atEnd: boolean;
}

interface Draft {
	readonly kind: Operation["kind"];
	readonly path: string;
	movedTo?: string;
	readonly lines: string[];
	readonly hunks: DraftHunk[];
}

function collect(operations: Draft[], event: PatchEvent): void {
	const operation = operations.at(-1);
	const hunk = operation?.hunks.at(-1);
	switch (event.type) {
		case "operation":
			operations.push({ kind: event.kind, path: event.path, lines: [], hunks: [] });
			return;
		case "movedTo":
			if (operation !== undefined) operation.movedTo = event.path;
			return;
		case "hunk":
			operation?.hunks.push(startHunk(event));
			return;
		case "context":
			hunk?.context.push(event.text);
			return;
		case "line":
			if (operation?.kind === "add") operation.lines.push(event.text);
			// The first hunk of an update may begin without its header.
			else if (hunk === undefined) operation?.hunks.push({ ...startHunk(NO_HEAD), lines: [toLine(event)] });
			else hunk.lines.push(toLine(event));
			return;
		case "endOfFile":
			if (hunk !== undefined) hunk.atEnd = true;
			return;
	}
}

type HunkHead = Pick<Hunk, "context" | "isNumbered">;

const NO_HEAD: HunkHead = { context: [], isNumbered: false };

function startHunk({ context, isNumbered }: HunkHead): DraftHunk {
	return { context: [...context], isNumbered, lines: [], atEnd: false };
}

function toLine({ kind, text }: HunkLine): HunkLine {
	return { kind, text };
}

function finish({ kind, path, movedTo, lines, hunks }: Draft): Operation {
	switch (kind) {
		case "add":
			return { kind, path, lines };
		case "delete":
			return { kind, path };
		case "update":
			return { kind, path, ...(movedTo === undefined ? {} : { movedTo }), hunks };
	}
}

function refuse(reason: string): ParsedPatch {
	return { ok: false, reason };
}
