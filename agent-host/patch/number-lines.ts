import { PIECE_LINES, type Pieces } from "./pieces.ts";

/**
 * Numbers lines, with equal numbers for equal lines: comparing two then takes one step, however long they are. Adds to
 * `numbers`.
 */
export function* numberLines(
	lines: readonly string[],
	numbers: Map<string, number>,
	normalize: (line: string) => string = String,
): Pieces<Int32Array> {
	const ids = new Int32Array(lines.length);
	for (let index = 0; index < lines.length; index += 1) {
		const key = normalize(lines[index] ?? "");
		let number = numbers.get(key);
		if (number === undefined) {
			number = numbers.size;
			numbers.set(key, number);
		}
		ids[index] = number;
		if (index % PIECE_LINES === 0) yield;
	}
	return ids;
}
