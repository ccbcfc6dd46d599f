import type { LooseWord } from "./loose-words.ts";

/** `unclear`: the text does not tell whether the rule covers it. */
export type DenyVerdict = "denied" | "unclear" | "clear";

/**
 * Whether what follows the denied program is what the rule names. It is unclear if the program could be told by other
 * words to do the same: `git -c alias.p=push p`, `rm -r -f`, `npm publis`.
 * @param assigned What the script assigns to variables, which the program may read.
 */
export function compareArguments(
	prefix: readonly string[],
	rest: readonly LooseWord[],
	assigned: readonly LooseWord[],
): DenyVerdict {
	if (prefix.every((word, index) => isSame(word, rest[index]))) return "denied";
	const names = prefix.filter((word) => !isOption(word));
	const options = prefix.filter(isOption);
	if (names.length > 0 && (isRedefined(rest) || assigned.some((word) => isRisky(word, names)))) return "unclear";
	return mayHold(rest, names) && options.every((option) => mayBeSet(option, rest)) ? "unclear" : "clear";
}

function isSame(word: string, other: LooseWord): boolean {
	if (other === undefined || word === other) return word === other;
	return isBundle(word) && isBundle(other) && [...word].sort().join("") === [...other].sort().join("");
}

/** Whether the names may be there in this order, also within other words. Options may come in between. */
function mayHold(rest: readonly LooseWord[], names: readonly string[]): boolean {
	const first = rest.findIndex((word) => word !== undefined && !isOption(word));
	let from = 0;
	for (const name of names) {
		const at = rest.findIndex(
			(word, index) => index >= from && (mayStandFor(word, name) || (index === first && isShortFor(word, name))),
		);
		if (at < 0) return false;
		from = at + 1;
	}
	return true;
}

function mayStandFor(word: LooseWord, name: string): boolean {
	return word === undefined || word === name || (isText(word) && word.toLowerCase().includes(name.toLowerCase()));
}

/** Some programs take the beginning of a command for the whole. */
function isShortFor(word: LooseWord, name: string): boolean {
	return word !== undefined && word !== "" && name.startsWith(word);
}

/** Whether options before the first name may give names another meaning, or hide one. */
function isRedefined(rest: readonly LooseWord[]): boolean {
	for (let index = 0; index < rest.length; index += 1) {
		const word = rest[index];
		if (word === undefined || !isOption(word)) return false;
		if (word === OTHER_FOLDER) index += 1;
		else if (!HARMLESS.test(word)) return true;
	}
	return false;
}

function isRisky(assignment: LooseWord, names: readonly string[]): boolean {
	if (assignment === undefined) return true;
	const value = assignment.slice(assignment.indexOf("=") + 1);
	return /[\s=!]/.test(value) || names.some((name) => value.toLowerCase().includes(name.toLowerCase()));
}

function mayBeSet(option: string, rest: readonly LooseWord[]): boolean {
	if (rest.includes(undefined)) return true;
	const given = rest.filter((word) => word !== undefined).filter(isOption);
	const long = given.filter((word) => word.startsWith("--"));
	const letters = new Set(given.filter((word) => /^-\w+$/.test(word)).flatMap((word) => [...word.slice(1)]));
	if (isBundle(option))
		return [...option.slice(1)].every((letter) => letters.has(letter) || long.some((word) => startsLike(word, letter)));
	const [name = option] = option.split("=");
	const isLike = (word: string) => word.startsWith(name) || (word.length > 2 && name.startsWith(word));
	return given.some(isLike) || letters.has(name.replace(/^-+/, "").charAt(0));
}

function startsLike(long: string, letter: string): boolean {
	return long.charAt(2).toLowerCase() === letter.toLowerCase();
}

function isOption(word: string): boolean {
	return /^-./.test(word);
}

/** Short options in one word. */
function isBundle(word: string): boolean {
	return /^-\w{1,5}$/.test(word);
}

/** A text, or a value with its name, rather than the name of a file. */
function isText(word: string): boolean {
	return /[\s=]/.test(word);
}

/** The same in many programs; the next word is a folder. */
const OTHER_FOLDER = "-C";
/** They mean the same wherever they are known, or nothing. */
const HARMLESS = /^(?:-[qsvhP]|-j\d*|--(?:quiet|silent|verbose|help|version|no-pager|no-optional-locks|no-color))$/;
