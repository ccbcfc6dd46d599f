import { IN_PIECES, parseQuery, prepareCandidate, scoreCandidate } from "./fuzzy.ts";
import { OUT, PathTable, TOP_FOLDER } from "./path-table.ts";

/** Paths that can be found by a few of their letters. Folders end with a slash. */
export interface PathIndex {
	/** Indexes files and their parent folders. */
	readonly add: (files: readonly string[]) => void;
	/** Best first; with an empty query, the first paths of the index. */
	readonly find: (query: string, limit: number) => readonly string[];
}

export function createPathIndex(): PathIndex {
	const table = new PathTable();
	const rows = new Map<string, number>();
	const add = (path: string): number => {
		const slash = path.lastIndexOf("/", path.length - 2);
		const folder = slash < 0 ? TOP_FOLDER : findRow(path.slice(0, slash + 1));
		return table.add(prepareCandidate(path, table.candidates[folder]), folder);
	};
	const findRow = (folder: string): number => {
		const row = rows.get(folder) ?? add(folder);
		rows.set(folder, row);
		return row;
	};
	return {
		add: (files) => {
			for (const file of files) add(file);
		},
		find: (query, limit) =>
			query === "" ? table.candidates.slice(0, limit).map(({ text }) => text) : findBest(table, query, limit),
	};
}

/** After this many scattered matches no more are looked at, because they say little. */
const MAX_SCATTERED = 1_000;

interface Found {
	readonly text: string;
	readonly score: number;
}

function findBest(table: PathTable, text: string, limit: number): readonly string[] {
	const query = parseQuery(text);
	const boundRow = table.bounding(query);
	const best: Found[] = [];
	let least = OUT;
	let scattered = 0;
	for (let row = 0; row < table.candidates.length; row += 1) {
		const bound = boundRow(row, least);
		if (bound === OUT || bound < least) continue;
		const candidate = table.candidates[row];
		const score = candidate === undefined ? undefined : scoreCandidate(query, candidate);
		if (candidate === undefined || score === undefined) continue;
		if (score < IN_PIECES) scattered += 1;
		if (score >= least) insert(best, { text: candidate.text, score }, limit);
		if (best.length === limit) least = Math.max(least, best.at(-1)?.score ?? least);
		if (scattered === MAX_SCATTERED) least = Math.max(least, IN_PIECES);
	}
	return best.map((found) => found.text);
}

/** Keeps the list sorted and within the limit; equal scores are sorted alphabetically. */
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
