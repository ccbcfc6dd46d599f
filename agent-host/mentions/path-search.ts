import { Best } from "./best.ts";
import {
	countHeld,
	DOT,
	findPiece,
	holdsAt,
	isWordStart,
	letterBit,
	pairsIn,
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
	MAX_LENGTH_COST,
	MOST_AT_WORD,
	MOST_IN_NAME,
	MOST_IN_PATH,
	MOST_OF_NAME,
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

/** After this many matches scattered over whole paths no more are looked at, because they say little. */
const MAX_SCATTERED = 1_000;
/** Few enough that what is found among them soon rules out others. */
const SIFTED_AT_ONCE = 1_000;

/**
 * One search through the paths that a table holds when it starts. It can be done in parts, between which more paths may
 * be added. Most paths are ruled out by their letters, or because they could not be among the best.
 */
export class PathSearch {
	readonly #table: PathTable;
	readonly #query: Query;
	readonly #count: number;
	/** A bit for each letter; those of all letters from each one on; the pairs, and the one of each letter with that before it. */
	readonly #bits: Int32Array;
	readonly #rest: Int32Array;
	readonly #pairs: readonly [low: number, high: number];
	readonly #pairsBefore: Int32Array;
	readonly #mostScattered: number;
	readonly #best: Best;
	/** How many letters of the query the path of each folder holds in their order, or what `inOnePiece` gives. */
	readonly #held: Int32Array;
	/** Of a query with slashes: up to the last one, and whether the path of each folder ends with it; then the rest. */
	readonly #head: Uint16Array;
	readonly #endsWithHead: Uint8Array;
	readonly #tail: Uint16Array;
	readonly #sifted = new Int32Array(SIFTED_AT_ONCE);
	#next = 0;
	#lastFolder = TOP_FOLDER;
	#scattered = 0;

	constructor(table: PathTable, text: string, limit: number) {
		const query = parseQuery(text);
		const { lower } = query;
		const split = lower.lastIndexOf(SLASH) + 1;
		this.#table = table;
		this.#query = query;
		this.#best = new Best(table, limit);
		this.#count = table.count;
		this.#bits = Int32Array.from(lower, letterBit);
		this.#rest = Int32Array.from(lower, (_, from) => this.#bits.subarray(from).reduce((all, bit) => all | bit, 0));
		this.#pairs = pairsIn(lower, 0, lower.length);
		this.#pairsBefore = Int32Array.from(
			[...lower].flatMap((_, at) => (at === 0 ? [0, 0] : pairsIn(lower, at - 1, at + 1))),
		);
		this.#mostScattered = SCATTERED_IN_PATH + mostOfScattered(lower.length, lower.length);
		this.#held = new Int32Array(table.folders.count);
		this.#head = lower.subarray(0, split);
		this.#endsWithHead = new Uint8Array(table.folders.count);
		this.#tail = lower.subarray(split);
	}

	/** Looks at so many more paths; true once there are none left. */
	advance(rows: number): boolean {
		const to = Math.min(this.#count, this.#next + rows);
		while (this.#next < to) {
			const end = Math.min(to, this.#next + SIFTED_AT_ONCE);
			const count = this.#sift(this.#next, end);
			for (let at = 0; at < count; at += 1) {
				const sifted = this.#sifted[at] ?? 0;
				this.#judge(sifted < 0 ? ~sifted : sifted, sifted >= 0);
			}
			this.#next = end;
		}
		return to === this.#count;
	}

	/** Best first. */
	best(): readonly string[] {
		return this.#best.texts();
	}

	/** Keeps the rows that may be among the best, by their numbers alone: to read the letters of a path takes far longer. */
	#sift(begin: number, end: number): number {
		const { names, folderOf, lengths, letters, nameLetters, startLetters, pairs, firsts } = this.#table;
		const [ofLength, ofName, ofFirst, ofStarts] = [
			lengths.values,
			nameLetters.values,
			firsts.values,
			startLetters.values,
		];
		const [ofFolder, ofPairs, sifted] = [folderOf.values, pairs.values, this.#sifted];
		const [query, lower, starts] = [this.#query.lower, names.lower.values, names.starts.values];
		const [held, endsWithHead, rest, bits] = [this.#held, this.#endsWithHead, this.#rest, this.#bits];
		const [wanted, firstBit, first] = [rest[0] ?? 0, bits[0] ?? 0, (query[0] ?? 0) & 255];
		const [lowPairs, highPairs] = this.#pairs;
		const [isAboutName, least] = [this.#query.about === "name", this.#best.least];
		const [isOnlyStart, isOnlyName] = [MOST_AT_WORD < least, MOST_IN_PATH < least];
		const isAnyName = SCATTERED_IN_NAME >= least + MAX_LENGTH_COST;
		const isOnlyPiece = this.#mostScattered < least;
		if (isOnlyName && !isAboutName) return 0;
		if (!isOnlyName) this.#lookAtFolders(end);
		const ofAll = isOnlyName ? ofName : letters.values;
		let count = 0;
		for (let row = begin; row < end; row += 1) {
			if (isOnlyStart && ofFirst[row] !== first) continue;
			if (((ofAll[row] ?? 0) & wanted) !== wanted) continue;
			const needed = least + lengthCost(ofLength[row] ?? 0);
			let isInName = isAboutName && ((ofName[row] ?? 0) & wanted) === wanted;
			if (isInName) {
				const low = ofPairs[2 * row] ?? 0;
				const high = ofPairs[2 * row + 1] ?? 0;
				const atStarts = ofStarts[row] ?? 0;
				let most = MOST_OF_NAME;
				if ((low & lowPairs) !== lowPairs || (high & highPairs) !== highPairs)
					most = isAnyName ? SCATTERED_IN_NAME : this.#mostInName(atStarts, low, high);
				else if (ofFirst[row] !== first) most = (atStarts & firstBit) === 0 ? MOST_IN_NAME : MOST_AT_WORD;
				isInName =
					most >= needed && countHeld(query, 0, lower, starts[row] ?? 0, starts[row + 1] ?? 0) === query.length;
			}
			if (!isInName) {
				if (MOST_IN_PATH < needed) continue;
				const folder = ofFolder[row] ?? TOP_FOLDER;
				const before = held[folder] ?? 0;
				if (before >= 0) {
					const left = rest[before] ?? 0;
					if (((ofName[row] ?? 0) & left) !== left) continue;
					const isFile = lower[(starts[row + 1] ?? 0) - 1] !== SLASH;
					if (isOnlyPiece && isFile && endsWithHead[folder] === 0) continue;
				}
			}
			sifted[count] = isInName ? row : ~row;
			count += 1;
		}
		return count;
	}

	/** Upper bound for letters scattered in a name, by which may be at the start of a word, and which may follow each other. */
	#mostInName(atStarts: number, low: number, high: number): number {
		const bits = this.#bits;
		const pairs = this.#pairsBefore;
		let starts = 0;
		let follows = 0;
		for (let letter = 0; letter < bits.length; letter += 1) {
			if ((atStarts & (bits[letter] ?? 0)) !== 0) starts += 1;
			if (((low & (pairs[2 * letter] ?? 0)) | (high & (pairs[2 * letter + 1] ?? 0))) !== 0) follows += 1;
		}
		return SCATTERED_IN_NAME + mostOfScattered(starts, follows);
	}

	#mayHoldPiece(row: number): boolean {
		const { values } = this.#table.pairs;
		const low = this.#pairs[0];
		const high = this.#pairs[1];
		return ((values[2 * row] ?? 0) & low) === low && ((values[2 * row + 1] ?? 0) & high) === high;
	}

	#judge(row: number, isInName: boolean): void {
		const cost = lengthCost(this.#table.lengths.values[row] ?? 0);
		const needed = this.#best.least + cost;
		let fit = isInName ? this.#fitName(row, needed) : OUT;
		if (fit === OUT && MOST_IN_PATH >= needed) fit = this.#fitPath(row, needed);
		if (fit >= needed) this.#best.take(row, fit - cost);
	}

	/** Looks at the folders before a path. They come before what is in them, and in the order of their list. */
	#lookAtFolders(end: number): void {
		const rows = this.#table.folderRows;
		while (this.#lastFolder + 1 < this.#held.length) {
			const row = rows.values[this.#lastFolder + 1] ?? 0;
			if (row >= end) return;
			this.#lookAtFolder(row);
		}
	}

	#lookAtFolder(row: number): void {
		const { text, lower, starts } = this.#table.folders;
		const query = this.#query;
		const held = this.#held;
		this.#lastFolder += 1;
		const folder = this.#lastFolder;
		const outer = this.#table.folderOf.values[row] ?? TOP_FOLDER;
		const from = starts.values[folder] ?? 0;
		const end = starts.values[folder + 1] ?? 0;
		const head = end - this.#head.length;
		const hasHead = this.#head.length > 0;
		if (hasHead && head >= from && holdsAt(this.#head, lower.values, head)) this.#endsWithHead[folder] = 1;
		const before = held[outer] ?? 0;
		held[folder] = before;
		if (before < 0) return;
		const own = from + this.#table.folders.size(outer);
		const begin = Math.max(from, own - query.lower.length + 1);
		const at = hasHead || this.#mayHoldPiece(row) ? findPiece(query.lower, lower.values, begin, end) : -1;
		if (at !== -1) held[folder] = inOnePiece(wordStart(text.values, at, from) + sameCase(query, text.values, at));
		else if (before < query.lower.length) held[folder] = countHeld(query.lower, before, lower.values, own, end);
	}

	/** `OUT` if the name does not hold the letters, or could not be among the best. */
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
		const atStarts = this.#table.startLetters.values[row] ?? 0;
		if (((atStarts & (this.#bits[0] ?? 0)) === 0 ? MOST_IN_NAME : MOST_AT_WORD) < needed) return OUT;
		const first = this.#mayHoldPiece(row) ? findPiece(query.lower, lowers, from + 1, end) : -1;
		if (first !== -1) {
			let at = first;
			while (at !== -1 && !isWordStart(texts, at, from)) at = findPiece(query.lower, lowers, at + 1, end);
			const chosen = at === -1 ? first : at;
			return IN_NAME + wordStart(texts, chosen, from) + sameCase(query, texts, chosen);
		}
		const pairs = this.#table.pairs.values;
		if (SCATTERED_IN_NAME < needed && this.#mostInName(atStarts, pairs[2 * row] ?? 0, pairs[2 * row + 1] ?? 0) < needed)
			return OUT;
		return SCATTERED_IN_NAME + rateScattered(query, { text: texts, lower: lowers, from, end });
	}

	#fitPath(row: number, needed: number): number {
		this.#lookAtFolders(row + 1);
		const { lower, starts } = this.#table.names;
		const folder = this.#table.folderOf.values[row] ?? TOP_FOLDER;
		const held = this.#held[folder] ?? 0;
		if (held < 0) return IN_PATH + bonusOf(held);
		const from = starts.values[row] ?? 0;
		const end = starts.values[row + 1] ?? 0;
		const own = lower.values[end - 1] === SLASH ? (this.#held[this.#table.folderAt(row)] ?? 0) : 0;
		if (own < 0) return IN_PATH + bonusOf(own);
		if (this.#endsWithHead[folder] === 1 && from + this.#tail.length <= end) {
			if (holdsAt(this.#tail, lower.values, from)) return IN_PATH + this.#rateAcross(folder, from);
		}
		if (this.#mostScattered < needed) return OUT;
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
