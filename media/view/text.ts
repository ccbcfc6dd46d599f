/** Lines of a text; the end of the last line does not begin another. */
export function countLines(text: string): number {
	if (text === "") return 0;
	let count = 1;
	for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count++;
	return count;
}

/** "1 line", "2 lines", "1,200 lines". */
export function countOf(count: number, noun: string): string {
	return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** The beginning of a text, cut after so many lines or characters, whichever comes first. */
export function headOf(text: string, limit: { readonly lines: number; readonly chars: number }): string {
	let end = -1;
	for (let line = 0; line < limit.lines; line++) {
		const next = text.indexOf("\n", end + 1);
		if (next < 0) return text.slice(0, limit.chars);
		end = next;
	}
	return text.slice(0, Math.min(end, limit.chars));
}
