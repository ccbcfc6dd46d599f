// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this is about
/** Colours are kept. */
const COLOUR = /^\x1b\[[\d;:]*m$/;
/** Control sequences and single control characters, except tabs and line ends. */
const CONTROL =
	/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|.)?|[\x00-\x08\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/gs;

/**
 * Keeps only text and colours of a command's output. Everything else that a terminal obeys, such as titles, cursor
 * movement or the clipboard, is removed.
 */
export function keepTextAndColours(text: string): string {
	return text.replace(CONTROL, (found) => (COLOUR.test(found) ? found : "")).replace(/\r\n?|\n/g, "\r\n");
}
