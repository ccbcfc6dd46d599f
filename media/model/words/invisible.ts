import { findNeededOrHidden } from "../../../agent-host/protocol/invisible.ts";

/** Fast check: nearly every text contains only these characters. */
const SUSPECT = /[^\t\n -~\u00A1-\u00AC\u00AE-\u02FF\u0370-\u05FF\u2010-\u2027\u2030-\u205E\u20A0-\u27BF\u4E00-\uD7AF]/;

/** Shows characters as `\u{202E}` that would be invisible or affect the text around them. */
export function showInvisible(text: string): string {
	if (!SUSPECT.test(text)) return text;
	return text.replaceAll("\r\n", "\n").replace(findNeededOrHidden(), escapeHidden);
}

/** The same for a command, path or diff: different texts never look the same, line ends included. */
export function showExactly(text: string): string {
	const known = text.replaceAll(/\\(?=u\{)|\r/g, escapeCharacter);
	return SUSPECT.test(known) ? known.replace(findNeededOrHidden(), escapeHidden) : known;
}

/** The same for a path or name in a list, where a line end would look like another entry. */
export function showPath(path: string): string {
	return showExactly(path).replaceAll("\n", escapeCharacter);
}

function escapeHidden(kept: string, hidden?: string): string {
	return hidden === undefined ? kept : escapeCharacter(hidden);
}

function escapeCharacter(character: string): string {
	return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`;
}
