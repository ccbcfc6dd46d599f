/**
 * Characters that are invisible or change how others look, unless an emoji or a script needs them there. The page shows
 * exactly these as escapes; a test compares the two lists.
 */
const NEEDED = [
	String.raw`(?<=\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?)\u200D(?=\p{Extended_Pictographic})`,
	String.raw`(?<=\p{Extended_Pictographic})\uFE0F|(?<=[0-9#*])\uFE0F(?=\u20E3)`,
	String.raw`(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}])[\u200C\u200D](?=\p{L})`,
	String.raw`(?<=[\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}])[\u200C\u200D](?=\p{L})`,
];
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/u;

/** Made for the first text that needs it: the classes of so many scripts take a tenth of the host's start. */
let neededOrHidden: RegExp | undefined;

/** Counts the characters of a text that can hide something from its reader. */
export function countInvisible(text: string): number {
	if (!HIDDEN.test(text)) return 0;
	neededOrHidden ??= new RegExp(`${NEEDED.join("|")}|(${HIDDEN.source})`, "gu");
	let count = 0;
	for (const [, hidden] of text.replaceAll("\r\n", "\n").matchAll(neededOrHidden)) if (hidden !== undefined) count += 1;
	return count;
}
