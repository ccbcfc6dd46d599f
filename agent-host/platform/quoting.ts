/**
 * A line for `cmd /d /s /v:off /c "…"` that hands exactly these words to a batch file. Undefined if that is not
 * possible: a line break ends the line, and a variable between percent signs is replaced even inside quotes.
 */
export function quoteForCmd(words: readonly string[]): string | undefined {
	if (words.some((word) => /[\r\n\0%"]/.test(word))) return undefined;
	return words.map(quoteWord).join(" ");
}

export function quoteForBash(word: string): string {
	return `'${word.replaceAll("'", "'\\''")}'`;
}

/** PowerShell takes typographic quotes for plain ones. */
export function quoteForPowerShell(word: string): string {
	return `'${word.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}

/** In quotes cmd takes everything else literally; backslashes before the closing quote are doubled for the program. */
function quoteWord(word: string): string {
	return `"${word.replace(/(?<!\\)\\+$/, "$&$&")}"`;
}
