/** Lines as numbers, equal for equal lines: each is then compared in one step, however long it is. Adds to `numbers`. */
export function numberLines(
	lines: readonly string[],
	numbers: Map<string, number>,
	normalize: (line: string) => string = String,
): Int32Array {
	return Int32Array.from(lines, (line) => {
		const key = normalize(line);
		const number = numbers.get(key) ?? numbers.size;
		numbers.set(key, number);
		return number;
	});
}
