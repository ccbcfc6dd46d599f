/** Joiners and variation selectors of emoji, and joiners between letters of scripts that need them. */
const NEEDED = [
	/(?<=\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?)\u200D(?=\p{Extended_Pictographic})/u,
	/(?<=\p{Extended_Pictographic})\uFE0F|(?<=[0-9#*])\uFE0F(?=\u20E3)/u,
	/(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}])[\u200C\u200D](?=\p{L})/u,
	/(?<=[\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}])[\u200C\u200D](?=\p{L})/u,
];

/**
 * Control characters, and characters that have no width or change the order or look of others. Line ends and tabs are
 * visible.
 */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/u;

const NEEDED_OR_HIDDEN = new RegExp(`${NEEDED.map(({ source }) => source).join("|")}|(${HIDDEN.source})`, "gu");

/** Fast check: nearly every text contains only these characters. */
const SUSPECT = /[^\t\n -~\u00A1-\u00AC\u00AE-\u02FF\u0370-\u05FF\u2010-\u2027\u2030-\u205E\u20A0-\u27BF\u4E00-\uD7AF]/;

/** Shows characters as `\u{202E}` that would be invisible or affect the text around them. */
export function showInvisible(text: string): string {
	if (!SUSPECT.test(text)) return text;
	return text.replaceAll("\r\n", "\n").replace(NEEDED_OR_HIDDEN, escapeHidden);
}

/** The same for a command, path or diff: different texts never look the same, line ends included. */
export function showExactly(text: string): string {
	const known = text.replaceAll(/\\(?=u\{)|\r/g, escapeCharacter);
	return SUSPECT.test(known) ? known.replace(NEEDED_OR_HIDDEN, escapeHidden) : known;
}

function escapeHidden(kept: string, hidden?: string): string {
	return hidden === undefined ? kept : escapeCharacter(hidden);
}

function escapeCharacter(character: string): string {
	return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`;
}
