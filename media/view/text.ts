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

/** "0.4 s", "12 s", "3 min 5 s". */
export function describeDuration(ms: number): string {
	if (ms < 9_950) return `${(Math.max(ms, 0) / 1_000).toFixed(1)} s`;
	const seconds = Math.round(ms / 1_000);
	const minutes = Math.floor(seconds / 60);
	if (minutes < 1) return `${seconds} s`;
	return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Whole seconds that count up or down: "12 s", "3 min 5 s". */
export function describeSeconds(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1_000));
	return seconds < 10 ? `${seconds} s` : describeDuration(seconds * 1_000);
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
