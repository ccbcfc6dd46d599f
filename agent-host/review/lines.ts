import { finish, PIECE_LINES, type Pieces } from "../patch/pieces.ts";
import { countLines, readInPieces, toBytes } from "../patch/text-file.ts";

/** A file as its lines, each with its line end. An existing file begins with `THERE`; a missing one has no lines. */
export type Lines = readonly string[];

/** Precedes the first line of an existing file. No line of a file can have this value. */
const THERE = "\n\n";

/** How lines are compared. Editors use one line end for a whole document, so there line ends are ignored. */
export type LineEnds = "exact" | "any";

/** Undefined if it is not text. */
export function* readLinesInPieces(bytes: Uint8Array | undefined): Pieces<Lines | undefined> {
	if (bytes === undefined) return [];
	const file = yield* readInPieces(bytes);
	if ("refusal" in file) return undefined;
	const lines = [THERE];
	for (let index = 0; index < countLines(file); index += 1) {
		lines.push(file.text.slice(file.starts[index], file.starts[index + 1]));
		if (index % PIECE_LINES === 0) yield;
	}
	return lines;
}

/** Converts lines back to a file with its current byte-order mark; undefined if the file should not exist. */
export function writeLines(lines: Lines, mark: string): Uint8Array | undefined {
	return lines.length === 0 ? undefined : toBytes(mark + fixLineEnds(withoutMarker(lines)).join(""));
}

/** Without the existence marker. */
export function withoutMarker(lines: Lines): Lines {
	return lines[0] === THERE ? lines.slice(1) : lines;
}

/** The comparison keys of lines. */
export function* listKeys(lines: Lines, ends: LineEnds): Pieces<readonly string[]> {
	if (ends === "exact") return lines;
	const keys: string[] = [];
	for (const [index, line] of lines.entries()) {
		keys.push(line === THERE ? line : line.replace(END, "\n"));
		if (index % PIECE_LINES === 0) yield;
	}
	return keys;
}

/** A line without a line end gets one if other lines follow it. */
export function fixLineEnds(lines: Lines): Lines {
	return finish(fixInPieces(lines));
}

export function* fixInPieces(lines: Lines): Pieces<Lines> {
	const isOpen = (line: string, index: number) => index < lines.length - 1 && !hasEnd(line);
	let open = 0;
	while (open < lines.length && !isOpen(lines[open] ?? "", open)) {
		open += 1;
		if (open % PIECE_LINES === 0) yield;
	}
	if (open === lines.length) return lines;
	const end = lines.map((line) => END.exec(line)?.[0]).find((one) => one !== undefined) ?? "\n";
	return lines.map((line, index) => (isOpen(line, index) ? line + end : line));
}

/** The 1-based number of a line, without the existence marker. */
export function lineNumber(lines: Lines, index: number): number {
	return lines[0] === THERE ? Math.max(1, index) : index + 1;
}

function hasEnd(line: string): boolean {
	return line.endsWith("\n") || line.endsWith("\r");
}

const END = /(?:\r\n|\n|\r)$/;
