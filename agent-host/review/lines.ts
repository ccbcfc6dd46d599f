import { readTextFile, toBytes } from "../patch/text-file.ts";

/** A file as its lines, each with its end. A file that is there begins with `THERE`; one that is not has no lines. */
export type Lines = readonly string[];

/** Stands before the first line of a file that exists. No line of a file can be this. */
const THERE = "\n\n";

/** What counts as the same line. Editors give all lines of a document one kind of end, so there ends are not compared. */
export type Ends = "exact" | "any";

/** Undefined for what is not text. */
export function readLines(bytes: Uint8Array | undefined): Lines | undefined {
	if (bytes === undefined) return [];
	const file = readTextFile(bytes);
	if ("refusal" in file) return undefined;
	return [THERE, ...file.lines.map((_, index) => file.text.slice(file.starts[index], file.starts[index + 1]))];
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
export function keysOf(lines: Lines, ends: Ends): readonly string[] {
	return ends === "exact" ? lines : lines.map((line) => (line === THERE ? line : line.replace(END, "\n")));
}

/** A line that had no end, being the last, and now has others behind it gets one. */
export function mendEnds(lines: Lines): Lines {
	const isOpen = (line: string, index: number) => index < lines.length - 1 && !END.test(line);
	if (!lines.some(isOpen)) return lines;
	const end = lines.map((line) => END.exec(line)?.[0]).find((one) => one !== undefined) ?? "\n";
	return lines.map((line, index) => (isOpen(line, index) ? line + end : line));
}

/** The number, from 1, of a line among those that are shown. */
export function lineNumber(lines: Lines, index: number): number {
	return lines[0] === THERE ? Math.max(1, index) : index + 1;
}

const END = /(?:\r\n|\n|\r)$/;
