import { type Candidate, candidateOf, queryOf, SCATTERED_BELOW, scoreOf } from "./fuzzy.ts";

/** Paths that can be found by a few of their letters. A folder ends with a slash. */
export interface PathIndex {
	/** Makes files, and the folders on their way, ready to be found. */
	readonly add: (files: readonly string[]) => void;
	/** The best first; with an empty query, the first paths there are. */
	readonly find: (query: string, limit: number) => readonly string[];
}

export function createPathIndex(): PathIndex {
	const candidates: Candidate[] = [];
	const folders = new Set<string>();
	return {
		add: (files) => {
			for (const file of files) {
				for (const folder of newFoldersOf(file, folders)) candidates.push(candidateOf(folder));
				candidates.push(candidateOf(file));
			}
		},
		find: (query, limit) =>
			query === "" ? candidates.slice(0, limit).map(({ text }) => text) : findBest(candidates, query, limit),
	};
}

function newFoldersOf(file: string, known: Set<string>): readonly string[] {
	const fresh: string[] = [];
	for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
		const folder = file.slice(0, at + 1);
		if (known.has(folder)) break;
		known.add(folder);
		fresh.unshift(folder);
	}
	return fresh;
}

/** Letters that are scattered over this many paths say little; more of those are not looked at. */
const MAX_SCATTERED = 10_000;

interface Found {
	readonly text: string;
	readonly score: number;
}

function findBest(candidates: readonly Candidate[], text: string, limit: number): readonly string[] {
	const query = queryOf(text);
	const best: Found[] = [];
	let least = Number.NEGATIVE_INFINITY;
	let scattered = 0;
	for (const candidate of candidates) {
		const score = scoreOf(query, candidate, least);
		if (score === undefined) continue;
		if (score < SCATTERED_BELOW) scattered += 1;
		if (score >= least) insert(best, { text: candidate.text, score }, limit);
		if (best.length === limit) least = Math.max(least, best.at(-1)?.score ?? least);
		if (scattered === MAX_SCATTERED) least = Math.max(least, SCATTERED_BELOW);
	}
	return best.map((found) => found.text);
}

/** Keeps the list sorted and short; of equals the first in the alphabet comes first. */
function insert(best: Found[], found: Found, limit: number): void {
	let low = 0;
	let high = best.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBefore(best[middle], found)) low = middle + 1;
		else high = middle;
	}
	best.splice(low, 0, found);
	if (best.length > limit) best.pop();
}

function isBefore(one: Found | undefined, other: Found): boolean {
	if (one === undefined) return false;
	return one.score > other.score || (one.score === other.score && one.text < other.text);
}
