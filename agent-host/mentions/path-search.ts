import { Best } from "./best.ts";
import {
	countHeld,
	DOT,
	findPiece,
	holdsAt,
	isWordStart,
	letterBit,
	pairBit,
	parseQuery,
	type Query,
	SLASH,
} from "./letters.ts";
import { type PathTable, TOP_FOLDER } from "./path-table.ts";
import {
	IN_NAME,
	IN_PATH,
	IN_PIECES,
	lengthCost,
	MOST_OF_PIECE,
	mostOfScattered,
	NAME,
	NAME_START,
	OUT,
	rateScattered,
	SCATTERED_IN_NAME,
	SCATTERED_IN_PATH,
	sameCase,
	wordStart,
} from "./scores.ts";

/**
 * After this many scattered matches no more are looked at, because they say little: over whole paths, and in names,
 * unless all letters may be at the starts of words.
 */
const MAX_SCATTERED = 1_000;
const MAX_SCATTERED_IN_NAME = 5_000;

/**
 * One search through the paths that a table holds when it starts. It can be done in parts, between which more paths may
 * be added. Most paths are ruled out by their letters, or because they could not be among the best.
 */
export class PathSearch {
	readonly #table: PathTable;
	readonly #query: Query;
	readonly #count: number;
	readonly #wanted: number;
	readonly #pairs: number;
	readonly #most: { readonly scattered: number; readonly scatteredInName: number };
	readonly #best: Best;
	/** How many letters of the query the path of each folder holds in their order, or what `inOnePiece` gives. */
	readonly #held: Int32Array;
	/** Of a query with slashes: up to the last one, and whether the path of each folder ends with it; then the rest. */
	readonly #head: Uint16Array;
	readonly #endsWithHead: Uint8Array;
	readonly #tail: Uint16Array;
	#next = 0;
	#lastFolder = TOP_FOLDER;
	#scattered = 0;
	#scatteredInName = 0;

	constructor(table: PathTable, text: string, limit: number) {
		const query = parseQuery(text);
		const split = query.lower.lastIndexOf(SLASH) + 1;
		const scattered = mostOfScattered(query.lower.length);
		this.#table = table;
		this.#query = query;
		this.#best = new Best(table, limit);
		this.#count = table.count;
		this.#wanted = query.lower.reduce((bits, code) => bits | letterBit(code), 0);
		this.#pairs = query.lower.reduce(
			(bits, code, at) => (at === 0 ? 0 : bits | pairBit(query.lower[at - 1] ?? 0, code)),
			0,
		);
		this.#most = { scattered: SCATTERED_IN_PATH + scattered, scatteredInName: SCATTERED_IN_NAME + scattered };
		this.#held = new Int32Array(table.folders.count);
		this.#head = query.lower.subarray(0, split);
		this.#endsWithHead = new Uint8Array(table.folders.count);
		this.#tail = query.lower.subarray(split);
	}

	/** Looks at so many more paths; true once there are none left. */
	advance(rows: number): boolean {
		const { names, folderOf, lengths, letters, nameLetters } = this.#table;
		const [lower, starts, wanted] = [names.lower.values, names.starts.values, this.#wanted];
		const [ofFolder, ofLength, ofPath, ofName] = [folderOf.values, lengths.values, letters.values, nameLetters.values];
		const isAboutName = this.#query.about === "name";
		const to = Math.min(this.#count, this.#next + rows);
		for (let row = this.#next; row < to; row += 1) {
			const end = starts[row + 1] ?? 0;
			const folder = ofFolder[row] ?? TOP_FOLDER;
			const isFolder = lower[end - 1] === SLASH;
			if (isFolder) this.#lookAtFolder(folder);
			if (((ofPath[row] ?? 0) & wanted) !== wanted) continue;
			const cost = lengthCost(ofLength[row] ?? 0);
			const needed = this.#best.least + cost;
			let fit = isAboutName && ((ofName[row] ?? 0) & wanted) === wanted ? this.#fitName(row, needed) : OUT;
			if (fit === OUT && IN_PATH + MOST_OF_PIECE >= needed) fit = this.#fitPath(row, folder, isFolder, needed);
			if (fit >= needed) this.#best.take(row, fit - cost);
		}
		this.#next = to;
		return to === this.#count;
	}

	/** Best first. */
	best(): readonly string[] {
		return this.#best.texts();
	}

	/** Folders come before what is in them, and in the same order as in the list of folders. */
	#lookAtFolder(outer: number): void {
		const { text, lower, starts } = this.#table.folders;
		const query = this.#query;
		const held = this.#held;
		this.#lastFolder += 1;
		const folder = this.#lastFolder;
		const from = starts.values[folder] ?? 0;
		const end = starts.values[folder + 1] ?? 0;
		const head = end - this.#head.length;
		if (head >= from && holdsAt(this.#head, lower.values, head)) this.#endsWithHead[folder] = 1;
		const before = held[outer] ?? 0;
		held[folder] = before;
		if (before < 0) return;
		const own = from + this.#table.folders.size(outer);
		const at = findPiece(query.lower, lower.values, Math.max(from, own - query.lower.length + 1), end);
		if (at !== -1) held[folder] = inOnePiece(wordStart(text.values, at, from) + sameCase(query, text.values, at));
		else if (before < query.lower.length) held[folder] = countHeld(query.lower, before, lower.values, own, end);
	}

	#fitName(row: number, needed: number): number {
		const { text, lower, starts } = this.#table.names;
		const query = this.#query;
		const texts = text.values;
		const lowers = lower.values;
		const from = starts.values[row] ?? 0;
		const end = starts.values[row + 1] ?? 0;
		const after = from + query.lower.length;
		if (after <= end && holdsAt(query.lower, lowers, from)) {
			const isWhole = after === end || lowers[after] === DOT || lowers[after] === SLASH;
			return (isWhole ? NAME : NAME_START) + sameCase(query, texts, from);
		}
		if (IN_NAME + MOST_OF_PIECE < needed) return OUT;
		if (countHeld(query.lower, 0, lowers, from, end) < query.lower.length) return OUT;
		const mayHold = ((this.#table.pairs.values[row] ?? 0) & this.#pairs) === this.#pairs;
		const first = mayHold ? findPiece(query.lower, lowers, from + 1, end) : -1;
		if (first !== -1) {
			let at = first;
			while (at !== -1 && !isWordStart(texts, at, from)) at = findPiece(query.lower, lowers, at + 1, end);
			const chosen = at === -1 ? first : at;
			return IN_NAME + wordStart(texts, chosen, from) + sameCase(query, texts, chosen);
		}
		const areAtStarts = ((this.#table.startLetters.values[row] ?? 0) & this.#wanted) === this.#wanted;
		const isPlain = !areAtStarts && this.#scatteredInName >= MAX_SCATTERED_IN_NAME;
		if (isPlain || this.#most.scatteredInName < needed) return needed - 1;
		this.#scatteredInName += 1;
		return SCATTERED_IN_NAME + rateScattered(query, { text: texts, lower: lowers, from, end });
	}

	#fitPath(row: number, folder: number, isFolder: boolean, needed: number): number {
		const { lower, starts } = this.#table.names;
		const held = this.#held[folder] ?? 0;
		if (held < 0) return IN_PATH + bonusOf(held);
		const own = isFolder ? (this.#held[this.#lastFolder] ?? 0) : 0;
		if (own < 0) return IN_PATH + bonusOf(own);
		const from = starts.values[row] ?? 0;
		const end = starts.values[row + 1] ?? 0;
		if (this.#endsWithHead[folder] === 1 && this.#head.length > 0 && from + this.#tail.length <= end) {
			if (holdsAt(this.#tail, lower.values, from)) return IN_PATH + this.#rateAcross(folder, from);
		}
		if (this.#most.scattered < needed) return OUT;
		const count = this.#query.lower.length;
		if (held < count && countHeld(this.#query.lower, held, lower.values, from, end) < count) return OUT;
		this.#scattered += 1;
		if (this.#scattered === MAX_SCATTERED) this.#best.require(IN_PIECES);
		return SCATTERED_IN_PATH + rateScattered(this.#query, this.#table.pathOf(row));
	}

	/** One piece that begins in the folder and ends in the name. */
	#rateAcross(folder: number, name: number): number {
		const { folders, names } = this.#table;
		const { text, about, lower } = this.#query;
		const split = this.#head.length;
		const end = folders.starts.values[folder + 1] ?? 0;
		const begin = wordStart(folders.text.values, end - split, folders.starts.values[folder] ?? 0);
		const ofHead = sameCase({ text: text.subarray(0, split), lower, about }, folders.text.values, end - split);
		const ofTail = sameCase({ text: text.subarray(split), lower, about }, names.text.values, name);
		return begin + Math.min(ofHead, ofTail);
	}
}

/** The query is held in one piece, which adds this to the score: a negative number, unlike a count. */
function inOnePiece(bonus: number): number {
	return -1 - bonus;
}

function bonusOf(held: number): number {
	return -1 - held;
}
