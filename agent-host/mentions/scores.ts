import { findLetter, holdsAt, isWordStart, type Query } from "./letters.ts";

// Every score is a small whole number, because a search passes millions of them around.

/** Below every score: no match, or not among the best. */
export const OUT = -1_000_000;

/** The kinds of match, best first: no quality within a kind beats a better kind. */
export const NAME = 5_000_000;
export const NAME_START = 4_000_000;
export const IN_NAME = 3_000_000;
export const SCATTERED_IN_NAME = 2_000_000;
export const IN_PATH = 1_000_000;
export const SCATTERED_IN_PATH = 0;

const AT_WORD_START = 4_000;
const FOLLOWS = 2_000;
const SAME_CASE = 500;
/** Longer paths rank lower, but never so much that their kind changes. */
export const MAX_LENGTH_COST = 400;
/** The quality within a kind stays below this. */
const MAX_QUALITY = 1_000_000 - MAX_LENGTH_COST;

/** A lower score means that the letters are scattered over the whole path. */
export const IN_PIECES = SCATTERED_IN_PATH + MAX_QUALITY;

/** The best that letters in one piece can come to: as a name, in one, at the start of a word in one, and in a path. */
export const MOST_OF_NAME = NAME + SAME_CASE;
export const MOST_IN_NAME = IN_NAME + SAME_CASE;
export const MOST_AT_WORD = MOST_IN_NAME + AT_WORD_START;
export const MOST_IN_PATH = IN_PATH + AT_WORD_START + SAME_CASE;

/** The same for scattered letters, by how many are at starts of words, and how many follow the one before. */
export function mostOfScattered(starts: number, follows: number): number {
	return Math.min(starts * AT_WORD_START + follows * FOLLOWS + SAME_CASE, MAX_QUALITY);
}

export function lengthCost(length: number): number {
	return Math.min(length, MAX_LENGTH_COST);
}

export function sameCase(query: Query, text: Uint16Array, at: number): number {
	return holdsAt(query.text, text, at) ? SAME_CASE : 0;
}

export function wordStart(text: Uint16Array, at: number, from: number): number {
	return isWordStart(text, at, from) ? AT_WORD_START : 0;
}

/** A piece of text as written and in lower case. */
export interface Piece {
	readonly text: Uint16Array;
	readonly lower: Uint16Array;
	readonly from: number;
	readonly end: number;
}

/**
 * Rates letters that a piece holds in their order. Matches each at the next start of a word, if there is one, otherwise
 * at its next occurrence. This may skip letters that are needed later; such a match gets no quality score.
 */
export function rateScattered(query: Query, { text, lower, from, end }: Piece): number {
	const count = query.lower.length;
	const sameLetter = Math.floor(SAME_CASE / count);
	let quality = 0;
	let last = from - 1;
	for (let index = 0; index < count; index += 1) {
		const letter = query.lower[index] ?? 0;
		const next = findLetter(letter, lower, last + 1, end);
		if (next === -1) return 0;
		const follows = index > 0 && next === last + 1;
		let start = next;
		while (start !== -1 && !isWordStart(text, start, from)) {
			start = follows ? -1 : findLetter(letter, lower, start + 1, end);
		}
		last = start === -1 ? next : start;
		quality += (follows ? FOLLOWS : 0) + (last === start ? AT_WORD_START : 0);
		if (text[last] === query.text[index]) quality += sameLetter;
	}
	return Math.min(quality, MAX_QUALITY - 1);
}
