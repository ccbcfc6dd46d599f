import { finish, PIECE_LINES, type Pieces } from "../patch/pieces.ts";
import { readInPieces, toBytes } from "../patch/text-file.ts";

/** A file as its lines, each with its end. A file that is there begins with `THERE`; one that is not has no lines. */
export type Lines = readonly string[];

/** Stands before the first line of a file that exists. No line of a file can be this. */
const THERE = "\n\n";

/** What counts as the same line. Editors give all lines of a document one kind of end, so there ends are not compared. */
export type Ends = "exact" | "any";

/** Undefined for what is not text. */
export function* readLinesInPieces(bytes: Uint8Array | undefined): Pieces<Lines | undefined> {
	if (bytes === undefined) return [];
	const file = yield* readInPieces(bytes);
	if ("refusal" in file) return undefined;
	const lines = [THERE];
	for (let index = 0; index < file.lines.length; index += 1) {
		lines.push(file.text.slice(file.starts[index], file.starts[index + 1]));
		if (index % PIECE_LINES === 0) yield;
	}
	return lines;
}

/** The file again, behind the byte-order mark it has now; undefined when there is to be none. */
export function writeLines(lines: Lines, mark: string): Uint8Array | undefined {
	return lines.length === 0 ? undefined : toBytes(mark + mendEnds(shown(lines)).join(""));
}

/** Without what is no line of the file. */
export function shown(lines: Lines): Lines {
	return lines[0] === THERE ? lines.slice(1) : lines;
}

/** What has to be equal for two lines to be the same. */
export function* keysOf(lines: Lines, ends: Ends): Pieces<readonly string[]> {
	if (ends === "exact") return lines;
	const keys: string[] = [];
	for (const [index, line] of lines.entries()) {
		keys.push(line === THERE ? line : line.replace(END, "\n"));
		if (index % PIECE_LINES === 0) yield;
	}
	return keys;
}

/** A line that had no end, being the last, and now has others behind it gets one. */
export function mendEnds(lines: Lines): Lines {
	return finish(mendInPieces(lines));
}

export function* mendInPieces(lines: Lines): Pieces<Lines> {
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

/** The number, from 1, of a line among those that are shown. */
export function lineNumber(lines: Lines, index: number): number {
	return lines[0] === THERE ? Math.max(1, index) : index + 1;
}

function hasEnd(line: string): boolean {
	return line.endsWith("\n") || line.endsWith("\r");
}

const END = /(?:\r\n|\n|\r)$/;
