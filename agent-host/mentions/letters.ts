/** What is typed: as it is, and in lower case. Both have the same length. */
export interface Query {
	readonly text: Uint16Array;
	readonly lower: Uint16Array;
	/** A query with a slash matches the whole path. */
	readonly about: "name" | "path";
}

export const SLASH = "/".charCodeAt(0);
export const DOT = ".".charCodeAt(0);

export function parseQuery(text: string): Query {
	return { text: codesOf(text), lower: codesOf(toLower(text)), about: text.includes("/") ? "path" : "name" };
}

/** A few letters become longer in lower case; those are left as they are, so that indexes in both texts agree. */
export function toLower(text: string): string {
	const lower = text.toLowerCase();
	return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** One bit for each letter, folded into 32 bits. */
export function letterBit(code: number): number {
	return 1 << (code & 31);
}

/** A bit of 64 for every two letters that follow each other; others may have the same. */
export function pairsIn(text: Uint16Array, from: number, end: number): readonly [low: number, high: number] {
	let [low, high] = [0, 0];
	for (let at = from + 1; at < end; at += 1) {
		const hash = Math.imul(foldDigit(text[at - 1] ?? 0) * 256 + foldDigit(text[at] ?? 0), 0x9e3779b1) >>> 26;
		if (hash < 32) low |= 1 << hash;
		else high |= 1 << (hash - 32);
	}
	return [low, high];
}

/** Numbers in names would take up most bits. */
function foldDigit(code: number): number {
	return code >= 48 && code <= 57 ? 48 : code;
}

/** At the start, after a separator, or at an upper-case letter after a lower-case one. */
export function isWordStart(text: Uint16Array, at: number, from: number): boolean {
	if (at === from) return true;
	const before = text[at - 1] ?? 0;
	if (!isLetterOrDigit(before)) return true;
	return isCapital(text[at] ?? 0) && !isCapital(before);
}

/** Where the letters next occur in one piece, or -1. */
export function findPiece(letters: Uint16Array, text: Uint16Array, from: number, end: number): number {
	const last = end - letters.length;
	const first = letters[0];
	for (let at = from; at <= last; at += 1) if (text[at] === first && holdsAt(letters, text, at)) return at;
	return -1;
}

/** The text must reach as far as the letters do. */
export function holdsAt(letters: Uint16Array, text: Uint16Array, at: number): boolean {
	for (let index = 0; index < letters.length; index += 1) if (text[at + index] !== letters[index]) return false;
	return true;
}

/** How many of the letters are held in their order, if the first `before`, but not all, were found already. */
export function countHeld(letters: Uint16Array, before: number, text: Uint16Array, from: number, end: number): number {
	let held = before;
	let letter = letters[held];
	for (let at = from; at < end; at += 1) {
		if (text[at] !== letter) continue;
		held += 1;
		if (held >= letters.length) break;
		letter = letters[held];
	}
	return held;
}

export function findLetter(letter: number, text: Uint16Array, from: number, end: number): number {
	for (let at = from; at < end; at += 1) if (text[at] === letter) return at;
	return -1;
}

function codesOf(text: string): Uint16Array {
	return Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

function isCapital(code: number): boolean {
	return code >= 65 && code <= 90;
}

function isLetterOrDigit(code: number): boolean {
	return (code >= 97 && code <= 122) || isCapital(code) || (code >= 48 && code <= 57) || code > 127;
}
