/** The meaning of one line of a patch. */
export type PatchEvent =
	| { readonly type: "operation"; readonly kind: "add" | "delete" | "update"; readonly path: string }
	| { readonly type: "movedTo"; readonly path: string }
	| { readonly type: "hunk"; readonly context: readonly string[]; readonly isNumbered: boolean }
	/** A further line above the hunk. */
	| { readonly type: "context"; readonly text: string }
	| { readonly type: "line"; readonly kind: "keep" | "add" | "remove"; readonly text: string }
	| { readonly type: "endOfFile" };

/** The position in a patch, which decides how the next line is read. */
export type Place =
	| "start"
	| "afterEnvironment"
	| "between"
	| "add"
	/** Directly after the header of an update: a move may follow. */
	| "update"
	| "beforeHunk"
	/** After `@@`, which must be followed by a line. */
	| "hunkHead"
	| "hunk"
	| "hunkEnd";

export const START: Place = "start";

export type ReadLine = { readonly place: Place; readonly event?: PatchEvent } | { readonly problem: string };

/**
 * Reads one line between "*** Begin Patch" and "*** End Patch". This is the whole grammar: a parsed patch is a fold of
 * it.
 */
export function readLine(place: Place, line: string): ReadLine {
	switch (place) {
		case "start":
			return readEnvironment(line) ?? readBetween(line);
		case "afterEnvironment":
			if (line.trim().startsWith(ENVIRONMENT)) return { problem: "the environment appears twice." };
			return readBetween(line);
		case "between":
			return readBetween(line);
		case "add":
			return readNewFile(line);
		case "update":
			return readMove(line) ?? readUpdate("beforeHunk", line);
		case "beforeHunk":
		case "hunkHead":
		case "hunk":
		case "hunkEnd":
			return readUpdate(place, line);
	}
}

const ENVIRONMENT = "*** Environment ID:";
const MOVE = "*** Move to:";
const END_OF_FILE = "*** End of File";
const HEADERS = [
	["*** Add File:", "add"],
	["*** Delete File:", "delete"],
	["*** Update File:", "update"],
] as const;

function readEnvironment(line: string): ReadLine | undefined {
	const text = line.trim();
	if (!text.startsWith(ENVIRONMENT)) return undefined;
	if (text.slice(ENVIRONMENT.length).trim() === "") return { problem: "the environment has no name." };
	return { place: "afterEnvironment" };
}

function readNewFile(line: string): ReadLine {
	if (line.startsWith("+")) return { place: "add", event: { type: "line", kind: "add", text: line.slice(1) } };
	const text = line.trim();
	if (text === "" || text.startsWith("*** ")) return readBetween(line);
	return { problem: `a line of a new file starts with +, but this is "${shorten(line)}".` };
}

/** Outside of updates, space around a header and empty lines between operations are ignored. */
function readBetween(line: string): ReadLine {
	if (line.trim() === "") return { place: "between" };
	return readHeader(line.trim()) ?? { problem: `expected the header of a file operation, found "${shorten(line)}".` };
}

function readHeader(text: string): ReadLine | undefined {
	for (const [header, kind] of HEADERS) {
		if (!text.startsWith(header)) continue;
		const path = text.slice(header.length).trim();
		if (path === "") return { problem: `"${header}" has no file path.` };
		return { place: PLACE_AFTER[kind], event: { type: "operation", kind, path } };
	}
	return undefined;
}

const PLACE_AFTER = { add: "add", delete: "between", update: "update" } as const;

function readMove(line: string): ReadLine | undefined {
	const text = line.trim();
	if (!text.startsWith(MOVE)) return undefined;
	const path = text.slice(MOVE.length).trim();
	if (path === "") return { problem: `"${MOVE}" has no file path.` };
	return { place: "beforeHunk", event: { type: "movedTo", path } };
}

/** Inside an update a leading space makes a context line, so markers must start at column 0. */
function readUpdate(place: "beforeHunk" | "hunkHead" | "hunk" | "hunkEnd", line: string): ReadLine {
	const text = line.trimEnd();
	if (text === "@@" || line.startsWith("@@ ")) return readHead(place, text === "@@" ? "" : line.slice("@@ ".length));
	if (text.startsWith("*** ")) return readMark(place, text);
	if (text === "" && (place === "beforeHunk" || place === "hunkEnd")) return { place };
	if (place === "hunkEnd") return { problem: `expected "@@" or the next file, found "${shorten(line)}".` };
	const kind = line === "" ? "keep" : KINDS[line.charAt(0)];
	if (kind === undefined) {
		return { problem: `a line of a hunk starts with a space, + or -, but this is "${shorten(line)}".` };
	}
	return { place: "hunk", event: { type: "line", kind, text: line.slice(1) } };
}

/** Line numbers, as other formats of patches have them. A line from anywhere above the hunk may follow. */
const NUMBERS = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@(?: |$)/;

function readHead(place: Place, text: string): ReadLine {
	const isNumbered = NUMBERS.test(text);
	const context = text === "" || isNumbered ? [] : [text];
	if (place !== "hunkHead") return { place: "hunkHead", event: { type: "hunk", context, isNumbered } };
	if (text === "") return { problem: 'a hunk has no lines: "@@" follows "@@".' };
	return { place, event: { type: "context", text } };
}

const KINDS: Readonly<Record<string, "keep" | "add" | "remove">> = { " ": "keep", "+": "add", "-": "remove" };

function readMark(place: "beforeHunk" | "hunkHead" | "hunk" | "hunkEnd", text: string): ReadLine {
	if (place === "hunkHead") return { problem: "a hunk has no lines." };
	if (text === END_OF_FILE) {
		return place === "hunk"
			? { place: "hunkEnd", event: { type: "endOfFile" } }
			: { problem: `"${END_OF_FILE}" must follow the lines of a hunk.` };
	}
	const header = readHeader(text);
	if (header === undefined) return { problem: `expected the header of a file operation, found "${shorten(text)}".` };
	return place === "beforeHunk" ? { problem: "an update has no hunks." } : header;
}

const MAX_SHOWN = 80;

function shorten(line: string): string {
	return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}
