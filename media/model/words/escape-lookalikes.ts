/** A piece of a text that somebody decides about. Joined, the pieces name every character of it without doubt. */
export interface Piece {
	/** `escape` stands for what cannot be seen, `foreign` is a character that may look like another one. */
	readonly kind: "plain" | "escape" | "foreign";
	readonly text: string;
}

/** More would take the browser seconds to lay out; such a text is spelled in one piece, without foreign letters. */
export const MAX_PIECES = 4_000;

/**
 * Two texts that differ in any character never look alike: what is invisible, moves other characters or looks like
 * a space is spelled as `\u{202E}`, and only letters that no other letter here resembles stand for themselves.
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
 * A name, which stands among other words: there a space at its beginning or end, or behind another one, cannot be seen either,
 * so it is spelled.
 */
export function escapeName(name: string): readonly Piece[] {
	return name.split(HIDDEN_SPACES).flatMap((part, index): readonly Piece[] => {
		if (index % 2 === 0) return escapeLookalikes(part);
		return [{ kind: "escape", text: escapeAll(part) }];
	});
}

/** At the edges of a name or of one of its lines, or behind another space. */
const HIDDEN_SPACES = /((?<=^|\n) +| +(?=$|\n)|(?<= ) +)/;

function addEscape(pieces: Piece[], text: string): void {
	const last = pieces.at(-1);
	if (last?.kind === "escape") pieces[pieces.length - 1] = { kind: "escape", text: last.text + text };
	else pieces.push({ kind: "escape", text });
}

/** Code point of a character, such as `455`, to stand beside it. */
export function formatCodePoint(character: string): string {
	return character.codePointAt(0)?.toString(16).toUpperCase() ?? "";
}

/** A word as a shell would have to be given it: no two words are written alike, and none looks like two. */
export function quoteWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Printable ASCII but for the beginning of an escape, line ends, and letters of few, well distinguished scripts. */
const SEEN =
	"(?!\\\\u\\{)[\\n -~\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u00FF\\u3041-\\u3096\\u4E00-\\u9FFF\\uAC00-\\uD7A3]";
const UNSEEN = "(?:\\\\(?=u\\{)|(?!\\n| |\\t)[\\p{C}\\p{M}\\p{Z}\\p{Default_Ignorable_Code_Point}])";
const PARTS = new RegExp(`((?:${SEEN})+)|(\\t+|(?:${UNSEEN})+)|[^]`, "gu");

/** A line that ends and a line that is only too long for the view must not look the same. */
function markLines(text: string): string {
	return text.replaceAll("\n", "↵\n");
}

function escapeAll(text: string): string {
	return [...text].map((character) => `\\u{${formatCodePoint(character)}}`).join("");
}

/** A tab and the spaces that take its room must not look the same; in a diff there are too many to spell each of them. */
function markTabs(text: string): string {
	return text.replaceAll("\t", "→\t");
}

function escapePlainly(text: string, tabs: "escaped" | "shown"): string {
	const escaped = text.replace(tabs === "shown" ? /\\(?=u\{)|[^\t\n -~]/gu : /\\(?=u\{)|[^\n -~]/gu, escapeAll);
	return markLines(markTabs(escaped));
}
