/**
 * The plain way to judge how well a path answers to a few letters: every path as a whole, by its text. What the host
 * does in columns of numbers must come to the same.
 */

/** A path prepared for matching. */
interface Candidate {
	readonly text: string;
	/** The text in lower case, with the same length. */
	readonly lower: string;
	/** Index at which the last path segment begins. */
	readonly base: number;
	/** Indexes at which words begin, each stored as a character to save memory. */
	readonly starts: string;
}

interface Query {
	readonly text: string;
	readonly lower: string;
	/** A query with a slash matches the whole path. */
	readonly about: "name" | "path";
}

/** The kinds of match, best first: no quality within a kind beats a better kind. */
const NAME = 5_000_000;
const NAME_START = 4_000_000;
const IN_NAME = 3_000_000;
const SCATTERED_IN_NAME = 2_000_000;
const IN_PATH = 1_000_000;
const SCATTERED_IN_PATH = 0;

const AT_WORD_START = 4_000;
const FOLLOWS = 2_000;
const SAME_CASE = 500;
/** Longer paths rank lower, but never so much that their kind changes. */
const MAX_LENGTH_COST = 400;
/** The quality within a kind stays below this. */
const MAX_QUALITY = 1_000_000 - MAX_LENGTH_COST;

/** `folder` is the parent path, already prepared; undefined at the top level. */
export function prepareCandidate(text: string, folder: Candidate | undefined): Candidate {
	return { text, lower: toLower(text, folder), base: folder?.text.length ?? 0, starts: findWordStarts(text) };
}

export function parseQuery(text: string): Query {
	return { text, lower: toLower(text, undefined), about: text.includes("/") ? "path" : "name" };
}

/** Scores how well a query matches a path: higher is better, undefined means no match. */
export function scoreCandidate(query: Query, candidate: Candidate): number | undefined {
	const fit =
		query.about === "name" ? (fitName(query, candidate) ?? fitPath(query, candidate)) : fitPath(query, candidate);
	return fit === undefined ? undefined : fit - lengthCost(candidate.text);
}

function lengthCost({ length }: string): number {
	return Math.min(length, MAX_LENGTH_COST);
}

function fitName(query: Query, candidate: Candidate): number | undefined {
	const { lower, base } = candidate;
	const at = lower.indexOf(query.lower, base);
	if (at === -1) return fitScattered(query, candidate, base, SCATTERED_IN_NAME);
	if (at === base) {
		const next = lower[at + query.lower.length];
		const isWhole = next === undefined || next === "." || next === "/";
		return (isWhole ? NAME : NAME_START) + sameCase(query, candidate, at);
	}
	return IN_NAME + findBestInside(query, candidate, at);
}

function fitPath(query: Query, candidate: Candidate): number | undefined {
	const at = candidate.lower.indexOf(query.lower);
	if (at === -1) return fitScattered(query, candidate, 0, SCATTERED_IN_PATH);
	return IN_PATH + wordStart(candidate, at) + sameCase(query, candidate, at);
}

/** The first occurrence of the query at the start of a word, otherwise the first occurrence. */
function findBestInside(query: Query, candidate: Candidate, first: number): number {
	for (let at = first; at !== -1; at = candidate.lower.indexOf(query.lower, at + 1)) {
		if (isWordStart(candidate.text, at)) return AT_WORD_START + sameCase(query, candidate, at);
	}
	return sameCase(query, candidate, first);
}

/** Matches the letters in order, with others between them. */
function fitScattered(query: Query, candidate: Candidate, from: number, kind: number): number | undefined {
	if (!holdsInOrder(query.lower, candidate.lower, from)) return undefined;
	return kind + Math.min(rateMatch(query, candidate, from) ?? 0, MAX_QUALITY - 1);
}

function holdsInOrder(letters: string, text: string, from: number): boolean {
	let found = 0;
	for (let at = from; at < text.length && found < letters.length; at += 1) {
		if (text.charCodeAt(at) === letters.charCodeAt(found)) found += 1;
	}
	return found === letters.length;
}

/**
 * Matches each letter at the next start of a word, if there is one, otherwise at its next occurrence. This may skip
 * letters that are needed later; such a match gets no quality score.
 */
function rateMatch(query: Query, candidate: Candidate, from: number): number | undefined {
	let quality = 0;
	let last = from - 1;
	for (let index = 0; index < query.lower.length; index += 1) {
		const letter = query.lower.charCodeAt(index);
		const next = findNext(letter, candidate.lower, last + 1);
		if (next === -1) return undefined;
		const follows = index > 0 && next === last + 1;
		const start = nextWordStart(letter, candidate, next);
		last = follows || start === -1 ? next : start;
		quality += (follows ? FOLLOWS : 0) + (last === start ? AT_WORD_START : 0);
		if (candidate.text.charCodeAt(last) === query.text.charCodeAt(index))
			quality += Math.floor(SAME_CASE / query.lower.length);
	}
	return quality;
}

function findNext(letter: number, text: string, from: number): number {
	for (let at = from; at < text.length; at += 1) if (text.charCodeAt(at) === letter) return at;
	return -1;
}

function nextWordStart(letter: number, { lower, starts }: Candidate, from: number): number {
	for (let index = 0; index < starts.length; index += 1) {
		const at = starts.charCodeAt(index);
		if (at >= from && lower.charCodeAt(at) === letter) return at;
	}
	return -1;
}

function findWordStarts(text: string): string {
	const starts: number[] = [];
	for (let at = 0; at < text.length; at += 1) if (isWordStart(text, at)) starts.push(at);
	return String.fromCharCode(...starts);
}

function wordStart({ text }: Candidate, at: number): number {
	return isWordStart(text, at) ? AT_WORD_START : 0;
}

function sameCase({ text }: Query, candidate: Candidate, at: number): number {
	return candidate.text.startsWith(text, at) ? SAME_CASE : 0;
}

/** After a separator, or at an upper-case letter after a lower-case one. */
function isWordStart(text: string, at: number): boolean {
	if (at === 0) return true;
	const before = text.charCodeAt(at - 1);
	if (!isLetterOrDigit(before)) return true;
	return isCapital(text.charCodeAt(at)) && !isCapital(before);
}

function isCapital(code: number): boolean {
	return code >= 65 && code <= 90;
}

function isLetterOrDigit(code: number): boolean {
	return (code >= 97 && code <= 122) || isCapital(code) || (code >= 48 && code <= 57) || code > 127;
}

/** A few letters become longer in lower case; those are left as they are, so that indexes in both texts agree. */
function toLower(text: string, folder: Candidate | undefined): string {
	const lower = text.toLowerCase();
	if (lower.length === text.length) return lower;
	const name = text.slice(folder?.text.length ?? 0);
	return (folder?.lower ?? "") + name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
