import { countOf, numberOf, t } from "../../../l10n/t.ts";

/** Number of lines; a final line end does not start another line. */
export function countLines(text: string): number {
	if (text === "") return 0;
	let count = 1;
	for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count++;
	return count;
}

/** Shown below a text that is cut. */
export function describeCut(count: number): string {
	return countOf(count, "{0} more character not shown.", "{0} more characters not shown.");
}

/** "0.4 s", "12 s", "3 min 5 s". */
export function describeDuration(ms: number): string {
	if (ms < 9_950) return t("{0} s", inTenths(Math.max(ms, 0) / 1_000));
	const seconds = Math.round(ms / 1_000);
	const minutes = Math.floor(seconds / 60);
	if (minutes < 1) return t("{0} s", seconds);
	if (minutes < 60) return t("{0} min {1} s", minutes, seconds % 60);
	return t("{0} h {1} min", Math.floor(minutes / 60), minutes % 60);
}

/** Whole seconds, for a value that counts up or down: "12 s", "3 min 5 s". */
export function describeSeconds(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1_000));
	return seconds < 10 ? t("{0} s", seconds) : describeDuration(seconds * 1_000);
}

/** Uses the decimal separator of the language: "0.4". */
function inTenths(value: number): string {
	const tenths = Math.round(10 * value);
	return numberOf(Math.floor(tenths / 10)) + numberOf(0.5).replaceAll(/[05]/g, "") + (tenths % 10);
}

/** The start of a text, cut after a number of lines or characters, whichever comes first. */
export function cutHead(text: string, limit: { readonly lines: number; readonly chars: number }): string {
	let end = -1;
	for (let line = 0; line < limit.lines; line++) {
		const next = text.indexOf("\n", end + 1);
		if (next < 0) return text.slice(0, limit.chars);
		end = next;
	}
	return text.slice(0, Math.min(end, limit.chars));
}
