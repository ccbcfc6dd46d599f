import { PIECE_LINES, type Pieces } from "../patch/pieces.ts";

/** Some lines of a text, and its total number of lines. */
export interface PageOfLines {
	readonly lines: readonly string[];
	readonly total: number;
}

/** Up to `most` lines, beginning at line number `from`. Other lines are only counted: a file may have millions. */
export function* pageOfLines(text: string, from: number, most: number): Pieces<PageOfLines> {
	const lines: string[] = [];
	let total = 0;
	let start = 0;
	let [nextLf, nextCr] = [text.indexOf("\n"), text.indexOf("\r")];
	while (start < text.length) {
		if (nextLf >= 0 && nextLf < start) nextLf = text.indexOf("\n", start);
		if (nextCr >= 0 && nextCr < start) nextCr = text.indexOf("\r", start);
		const isCr = nextCr >= 0 && (nextLf < 0 || nextCr < nextLf);
		const next = isCr ? nextCr : nextLf;
		const end = next < 0 ? text.length : next;
		total += 1;
		if (total >= from && lines.length < most) lines.push(text.slice(start, end));
		start = end + (isCr && nextLf === nextCr + 1 ? 2 : 1);
		if (total % PIECE_LINES === 0) yield;
	}
	return { lines, total };
}
