// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this is about
/** Colours, which may stay. */
const COLOUR = /^\x1b\[[\d;:]*m$/;
/** Control sequences and lone control characters, but for tabs and the ends of lines. */
const CONTROL =
	/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|.)?|[\x00-\x08\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/gs;

/**
 * What a command wrote, as a terminal may be given it: text and colours. Whatever else a terminal obeys, such as a new title, a
 * moved cursor or a filled clipboard, is left out.
 */
export function keepTextAndColours(text: string): string {
	return text.replace(CONTROL, (found) => (COLOUR.test(found) ? found : "")).replace(/\r\n?|\n/g, "\r\n");
}
