import { countLines, lastStarting, type TextFile } from "./text-file.ts";

/** Of a block: what the text is searched for, before the rest is compared. */
const SOUGHT_CHARS = 100;

/**
 * Finds blocks of lines word for word in the text itself: the first line of the block at or after `first`. Far cheaper
 * than numbering all lines, but only while blocks are found. So it finds none after the first one that is not in the
 * text, or when it has compared as many characters as the text has.
 */
export function createTextSearch(file: TextFile): (block: readonly string[], first: number) => number | undefined {
	const { text, starts, newline, isUniform, isEnded } = file;
	const lines = countLines(file);
	let left = isUniform ? text.length : 0;
	const isAt = (line: number, whole: string, height: number): boolean => {
		const [start, end] = [starts[line], starts[line + height]];
		if (start === undefined || end === undefined) return false;
		const ending = line + height === lines && !isEnded ? 0 : newline.length;
		return end - start === whole.length + ending && text.startsWith(whole, start);
	};
	return (block, first) => {
		if (left <= 0) return undefined;
		const whole = block.join(newline);
		if (isAt(first, whole, block.length)) return first;
		const sought = newline + whole.slice(0, SOUGHT_CHARS);
		let at = text.indexOf(sought, starts[first] ?? text.length);
		while (at >= 0 && left > 0) {
			const line = lastStarting(starts, at + newline.length, lines);
			if (isAt(line, whole, block.length)) return line;
			left -= whole.length + 1;
			at = text.indexOf(sought, at + 1);
		}
		left = 0;
		return undefined;
	};
}
