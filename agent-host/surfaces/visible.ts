import { findNeededOrHidden } from "../protocol/invisible.ts";

/** Text from outside for a terminal or a dialog: what a reader would not see, or a terminal would obey, is spelled out. */
export function makeVisible(text: string): string {
	return text.replaceAll(findNeededOrHidden(), (found: string, hidden: string | undefined) =>
		hidden === undefined ? found : spell(hidden),
	);
}

/** The same for a value that must stay on one line. */
export function makeVisibleLine(text: string): string {
	return makeVisible(text).replaceAll("\n", "\\n");
}

/** The same for what is decided about: a text that reads like such an escape, or a space of another kind, is spelled out. */
export function makeExact(text: string): string {
	return makeVisible(text.replaceAll(/\\(?=u\{)/g, spell)).replaceAll(/(?! )[\p{Zs}\u2800]/gu, spell);
}

/** The same for a value that must stay on one line. */
export function makeExactLine(text: string): string {
	return makeExact(text).replaceAll("\n", spell);
}

function spell(character: string): string {
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
