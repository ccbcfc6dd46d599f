import { isWordStart, letterBit, pairsIn, toLower } from "./letters.ts";
import type { Piece } from "./scores.ts";

/** The parent of top-level entries. */
export const TOP_FOLDER = 0;

/**
 * Paths in numeric columns, about four bytes for each letter of a name. Rows are never changed, so that what was read
 * before others were added stays right.
 */
export class PathTable {
	/** How many paths there are. */
	count = 0;
	/** Last segments, one after the other; a folder's ends with a slash. */
	readonly names = new Texts();
	/** Whole paths of the folders. The first is the top, which is empty. */
	readonly folders = new Texts();
	/** The path that each folder is itself; none for the top. */
	readonly folderRows = new Column(Int32Array);
	/** For each path: its folder, its length, and its letters; then the letters, pairs and starts of words of its name. */
	readonly folderOf = new Column(Int32Array);
	readonly lengths = new Column(Int32Array);
	readonly letters = new Column(Int32Array);
	readonly nameLetters = new Column(Int32Array);
	readonly pairs = new Column(Int32Array);
	readonly startLetters = new Column(Int32Array);
	/** The low bits of the first letter of each name. */
	readonly firsts = new Column(Uint8Array);
	readonly #folderLetters = [0];
	#path = { text: new Uint16Array(256), lower: new Uint16Array(256) };
	readonly #known = new Map<string, number>();

	constructor() {
		this.folders.add("", "");
		this.folderRows.push(-1);
	}

	/** Adds a file, and its folders unless they are known. */
	add(file: string): void {
		this.#addRow(file, this.#findFolder(file));
	}

	textOf(row: number): string {
		return this.folders.read(this.folderOf.values[row] ?? TOP_FOLDER) + this.names.read(row);
	}

	/** Whether a path comes before another one in the alphabet. */
	isBefore(one: number, other: number): boolean {
		const [folder, otherFolder] = [this.folderOf.values[one] ?? TOP_FOLDER, this.folderOf.values[other] ?? TOP_FOLDER];
		const shared = Math.min(this.folders.size(folder), this.folders.size(otherFolder));
		if (folder !== otherFolder) {
			const difference = this.folders.compare(folder, otherFolder, shared);
			if (difference !== 0) return difference < 0;
		}
		const length = Math.min(this.lengths.values[one] ?? 0, this.lengths.values[other] ?? 0);
		for (let at = shared; at < length; at += 1) {
			const difference = this.#codeAt(one, at) - this.#codeAt(other, at);
			if (difference !== 0) return difference < 0;
		}
		return this.lengths.values[one] === length && this.lengths.values[other] !== length;
	}

	/** The whole path, until another one is asked for. */
	pathOf(row: number): Piece {
		const { folders, names } = this;
		const folder = this.folderOf.values[row] ?? TOP_FOLDER;
		const end = this.lengths.values[row] ?? 0;
		if (this.#path.text.length < end) this.#path = { text: new Uint16Array(2 * end), lower: new Uint16Array(2 * end) };
		for (const kind of ["text", "lower"] as const) {
			folders.copy(kind, folder, this.#path[kind], 0);
			names.copy(kind, row, this.#path[kind], folders.size(folder));
		}
		return { ...this.#path, from: 0, end };
	}

	/** The folder that a path is itself. */
	folderAt(row: number): number {
		const { values } = this.folderRows;
		let [low, high] = [TOP_FOLDER, this.folderRows.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((values[middle] ?? 0) <= row) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	#codeAt(row: number, at: number): number {
		const folder = this.folderOf.values[row] ?? TOP_FOLDER;
		const start = this.folders.starts.values[folder] ?? 0;
		const size = (this.folders.starts.values[folder + 1] ?? 0) - start;
		if (at < size) return this.folders.text.values[start + at] ?? 0;
		return this.names.text.values[(this.names.starts.values[row] ?? 0) + at - size] ?? 0;
	}

	#findFolder(path: string): number {
		const slash = path.lastIndexOf("/", path.length - 2);
		if (slash < 0) return TOP_FOLDER;
		const text = path.slice(0, slash + 1);
		return this.#known.get(text) ?? this.#addFolder(text);
	}

	#addFolder(path: string): number {
		const outer = this.#findFolder(path);
		this.folderRows.push(this.count);
		this.#folderLetters.push(this.#addRow(path, outer));
		const folder = this.folders.add(path, path.split("/").map(toLower).join("/"));
		this.#known.set(path, folder);
		return folder;
	}

	#addRow(path: string, folder: number): number {
		const name = path.slice(this.folders.size(folder));
		const lower = toLower(name);
		const row = this.names.add(name, lower);
		const from = this.names.starts.values[row] ?? 0;
		let own = 0;
		let atStarts = 0;
		for (let at = 0; at < lower.length; at += 1) {
			const bit = letterBit(lower.charCodeAt(at));
			own |= bit;
			if (isWordStart(this.names.text.values, from + at, from)) atStarts |= bit;
		}
		const all = own | (this.#folderLetters[folder] ?? 0);
		this.folderOf.push(folder);
		this.lengths.push(path.length);
		this.letters.push(all);
		this.nameLetters.push(own);
		for (const bits of pairsIn(this.names.lower.values, from, from + lower.length)) this.pairs.push(bits);
		this.firsts.push(lower.charCodeAt(0) & 255);
		this.startLetters.push(atStarts);
		this.count += 1;
		return all;
	}
}

/** Texts one after the other, as written and in lower case. */
class Texts {
	readonly text = new Column(Uint16Array);
	readonly lower = new Column(Uint16Array);
	/** Where each begins; the last entry is where the next one will. */
	readonly starts = new Column(Int32Array);

	constructor() {
		this.starts.push(0);
	}

	get count(): number {
		return this.starts.length - 1;
	}

	add(text: string, lower: string): number {
		this.text.pushText(text);
		this.lower.pushText(lower);
		this.starts.push(this.text.length);
		return this.count - 1;
	}

	size(index: number): number {
		return this.#end(index) - this.#start(index);
	}

	read(index: number): string {
		const codes = this.text.values.subarray(this.#start(index), this.#end(index));
		return Reflect.apply(String.fromCharCode, undefined, codes);
	}

	/** In a loop: for so few letters, `set` takes longer. */
	copy(kind: "text" | "lower", index: number, target: Uint16Array, at: number): void {
		const { values } = this[kind];
		const [start, size] = [this.#start(index), this.size(index)];
		for (let offset = 0; offset < size; offset += 1) target[at + offset] = values[start + offset] ?? 0;
	}

	/** Negative if the first letters of one come before those of the other one, 0 if they are the same. */
	compare(one: number, other: number, letters: number): number {
		const { values } = this.text;
		const [start, otherStart] = [this.#start(one), this.#start(other)];
		for (let at = 0; at < letters; at += 1) {
			const difference = (values[start + at] ?? 0) - (values[otherStart + at] ?? 0);
			if (difference !== 0) return difference;
		}
		return 0;
	}

	#start(index: number): number {
		return this.starts.values[index] ?? 0;
	}

	#end(index: number): number {
		return this.starts.values[index + 1] ?? 0;
	}
}

type Numbers = Int32Array | Uint16Array | Uint8Array;

/** An array of numbers that uses as few bytes as they need. */
class Column<T extends Numbers> {
	values: T;
	length = 0;
	readonly #make: new (
		length: number,
	) => T;

	constructor(make: new (length: number) => T) {
		this.#make = make;
		this.values = new make(256);
	}

	push(value: number): void {
		this.#reserve(1);
		this.values[this.length] = value;
		this.length += 1;
	}

	pushText(text: string): void {
		this.#reserve(text.length);
		for (let at = 0; at < text.length; at += 1) this.values[this.length + at] = text.charCodeAt(at);
		this.length += text.length;
	}

	#reserve(more: number): void {
		if (this.length + more <= this.values.length) return;
		const larger = new this.#make(Math.max(2 * this.values.length, this.length + more));
		larger.set(this.values);
		this.values = larger;
	}
}
