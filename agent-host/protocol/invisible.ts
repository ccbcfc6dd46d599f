/** Joiners and variation selectors of emoji, and joiners between letters of scripts that need them. */
const NEEDED = [
	String.raw`(?<=\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?)\u200D(?=\p{Extended_Pictographic})`,
	String.raw`(?<=\p{Extended_Pictographic})\uFE0F|(?<=[0-9#*])\uFE0F(?=\u20E3)`,
	String.raw`(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}])[\u200C\u200D](?=\p{L})`,
	String.raw`(?<=[\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}])[\u200C\u200D](?=\p{L})`,
];

/**
 * Control characters, and characters that have no width or change the order or look of others. Line ends and tabs are
 * visible.
 */
export const HIDDEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/u;

/** Made for the first text that needs it: the classes of so many scripts take a tenth of the host's start. */
let neededOrHidden: RegExp | undefined;

/** Both; the group holds a character that is hidden and not needed. */
export function findNeededOrHidden(): RegExp {
	neededOrHidden ??= new RegExp(`${NEEDED.join("|")}|(${HIDDEN.source})`, "gu");
	return neededOrHidden;
}
