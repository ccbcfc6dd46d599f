/** A piece of a text that the user decides about. Joined, the pieces identify every character. */
export interface Piece {
	/** `escape`: an invisible character. `foreign`: a character that may look like another one. */
	readonly kind: "plain" | "escape" | "foreign";
	readonly text: string;
}

/** More pieces would take the browser seconds to lay out; such a text becomes one piece without marked letters. */
export const MAX_PIECES = 4_000;

/**
 * Makes different texts look different. Characters that are invisible, reorder others or look like a space become
 * `\u{202E}`; only letters that no other letter here resembles are shown unmarked.
 */
export function escapeLookalikes(text: string, tabs: "escaped" | "shown" = "escaped"): readonly Piece[] {
	const pieces: Piece[] = [];
	for (const [part, seen, unseen] of text.matchAll(PARTS)) {
		if (tabs === "shown" && unseen !== undefined && /^\t+$/.test(unseen)) {
			pieces.push({ kind: "escape", text: markTabs(unseen) });
			continue;
		}
		if (seen !== undefined) pieces.push({ kind: "plain", text: markLines(seen) });
		else if (unseen !== undefined) addEscape(pieces, escapeAll(unseen));
		else pieces.push({ kind: "foreign", text: part });
		if (pieces.length > MAX_PIECES) return [{ kind: "plain", text: escapePlainly(text, tabs) }];
	}
	return pieces;
}

/**
 * For a name inside a sentence: leading, trailing and repeated spaces would be invisible there, so they are escaped
 * too.
 */
export function escapeName(name: string): readonly Piece[] {
	return name.split(HIDDEN_SPACES).flatMap((part, index): readonly Piece[] => {
		if (index % 2 === 0) return escapeLookalikes(part);
		return [{ kind: "escape", text: escapeAll(part) }];
	});
}

/** Spaces at the start or end of a line, or after another space. */
const HIDDEN_SPACES = /((?<=^|\n) +| +(?=$|\n)|(?<= ) +)/;

function addEscape(pieces: Piece[], text: string): void {
	const last = pieces.at(-1);
	if (last?.kind === "escape") pieces[pieces.length - 1] = { kind: "escape", text: last.text + text };
	else pieces.push({ kind: "escape", text });
}

/** Code point of a character, such as `455`. */
export function formatCodePoint(character: string): string {
	return character.codePointAt(0)?.toString(16).toUpperCase() ?? "";
}

/** Printable ASCII except the start of an escape, line ends, and letters of a few clearly distinct scripts. */
const SEEN =
	"(?!\\\\u\\{)[\\n -~\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u00FF\\u3041-\\u3096\\u4E00-\\u9FFF\\uAC00-\\uD7A3]";
const UNSEEN = "(?:\\\\(?=u\\{)|(?!\\n| |\\t)[\\p{C}\\p{M}\\p{Z}\\p{Default_Ignorable_Code_Point}])";
const PARTS = new RegExp(`((?:${SEEN})+)|(\\t+|(?:${UNSEEN})+)|[^]`, "gu");

/** A line end and a wrapped line must not look the same. */
function markLines(text: string): string {
	return text.replaceAll("\n", "↵\n");
}

function escapeAll(text: string): string {
	return [...text].map((character) => `\\u{${formatCodePoint(character)}}`).join("");
}

/** A tab and spaces of the same width must not look the same; a diff has too many tabs to escape each. */
function markTabs(text: string): string {
	return text.replaceAll("\t", "→\t");
}

function escapePlainly(text: string, tabs: "escaped" | "shown"): string {
	const escaped = text.replace(tabs === "shown" ? /\\(?=u\{)|[^\t\n -~]/gu : /\\(?=u\{)|[^\n -~]/gu, escapeAll);
	return markLines(markTabs(escaped));
}
