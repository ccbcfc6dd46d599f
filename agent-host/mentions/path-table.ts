import { type Candidate, lengthCost, maxScoreFor, type Query } from "./fuzzy.ts";

/** The parent of top-level entries. */
export const TOP_FOLDER = -1;
/** Below every score: no match, or not among the best. */
export const OUT = Number.NEGATIVE_INFINITY;

/**
 * For a folder: not looked at yet, or it contains the query in one piece. Otherwise the number of letters it contains
 * in order.
 */
const UNKNOWN = -1;
const WHOLE = 1_000;

const DOT = ".".charCodeAt(0);
const SLASH = "/".charCodeAt(0);

/**
 * Paths in numeric columns. Scanning them row by row rules out nearly every path in a fraction of the time that
 * comparing its text would take.
 */
export class PathTable {
	readonly candidates: Candidate[] = [];
	readonly #folders = new Column(Int32Array);
	/** One bit for each character of a path, folded into 32 bits; then the same for its last segment. */
	readonly #letters = new Column(Int32Array);
	readonly #nameLetters = new Column(Int32Array);
	readonly #costs = new Column(Int32Array);
	/** The last segments in lower case, concatenated, and where each begins. */
	readonly #names = new Column(Uint16Array);
	readonly #starts = new Column(Int32Array);

	/** Adds a path whose folder was added before, and returns its row. */
	add(candidate: Candidate, folder: number): number {
		this.#starts.push(this.#names.length);
		let own = 0;
		for (let at = candidate.base; at < candidate.lower.length; at += 1) {
			const code = candidate.lower.charCodeAt(at);
			own |= bitOf(code);
			this.#names.push(code);
		}
		this.#nameLetters.push(own);
		this.#letters.push(own | (this.#letters.values[folder] ?? 0));
		this.#folders.push(folder);
		this.#costs.push(lengthCost(candidate.text));
		return this.candidates.push(candidate) - 1;
	}

	/** Returns a function that gives the highest possible score of a row, as far as it reaches `least`. */
	bounding({ lower, about }: Query): (row: number, least: number) => number {
		const { candidates } = this;
		const [folders, letters, nameLetters] = [this.#folders.values, this.#letters.values, this.#nameLetters.values];
		const [costs, names] = [this.#costs.values, this.#names.values];
		const starts = this.#starts.values;
		const ends = (row: number): number => (row + 1 < candidates.length ? (starts[row + 1] ?? 0) : this.#names.length);
		const codes = Uint16Array.from({ length: lower.length }, (_, at) => lower.charCodeAt(at));
		const wanted = codes.reduce((bits, code) => bits | bitOf(code), 0);
		const most = maxScoreFor(codes.length);
		const inFolders = new Int16Array(candidates.length).fill(UNKNOWN);

		const countHeld = (row: number, before: number): number => {
			let held = before;
			for (let at = starts[row] ?? 0, end = ends(row); at < end && held < codes.length; at += 1) {
				if (names[at] === codes[held]) held += 1;
			}
			return held;
		};
		const holdsWhole = (row: number): boolean => {
			const candidate = candidates[row];
			return candidate?.lower.includes(lower, candidate.base - lower.length + 1) === true;
		};
		const heldIn = (folder: number): number => {
			if (folder === TOP_FOLDER) return 0;
			const known = inFolders[folder] ?? UNKNOWN;
			if (known !== UNKNOWN) return known;
			const outer = heldIn(folders[folder] ?? TOP_FOLDER);
			const held = outer === WHOLE || holdsWhole(folder) ? WHOLE : countHeld(folder, outer);
			inFolders[folder] = held;
			return held;
		};
		const holdsAt = (at: number): boolean => {
			for (let index = 0; index < codes.length; index += 1) if (names[at + index] !== codes[index]) return false;
			return true;
		};
		const holdsPiece = (from: number, end: number): boolean => {
			for (let at = from; at + codes.length <= end; at += 1) if (names[at] === codes[0] && holdsAt(at)) return true;
			return false;
		};
		const boundName = (row: number, cost: number, least: number): number => {
			if (((nameLetters[row] ?? 0) & wanted) !== wanted) return OUT;
			const [start, end] = [starts[row] ?? 0, ends(row)];
			if (names[start] === codes[0] && start + codes.length <= end && holdsAt(start)) {
				const next = start + codes.length < end ? names[start + codes.length] : undefined;
				return (next === undefined || next === DOT || next === SLASH ? most.name : most.nameStart) - cost;
			}
			if (most.inName - cost < least || countHeld(row, 0) < codes.length) return OUT;
			return (holdsPiece(start + 1, end) ? most.inName : most.scatteredInName) - cost;
		};
		return (row, least) => {
			if (((letters[row] ?? 0) & wanted) !== wanted) return OUT;
			const cost = costs[row] ?? 0;
			const ofName = about === "name" ? boundName(row, cost, least) : OUT;
			if (ofName !== OUT || most.inPath - cost < least) return ofName;
			const held = heldIn(folders[row] ?? TOP_FOLDER);
			if (held === WHOLE || (about === "path" && holdsWhole(row))) return most.inPath - cost;
			if (most.scatteredInPath - cost < least) return OUT;
			return countHeld(row, held) === codes.length ? most.scatteredInPath - cost : OUT;
		};
	}
}

type Numbers = Int32Array | Uint16Array;

/** An array of numbers that uses as few bytes as they need. */
class Column<T extends Numbers> {
	values: T;
	length = 0;
	readonly #make: new (
		length: number,
	) => T;

	constructor(make: new (length: number) => T) {
		this.#make = make;
		this.values = new make(1_024);
	}

	push(value: number): void {
		if (this.length === this.values.length) {
			const larger = new this.#make(2 * this.length);
			larger.set(this.values);
			this.values = larger;
		}
		this.values[this.length] = value;
		this.length += 1;
	}
}

function bitOf(code: number): number {
	return 1 << (code & 31);
}
