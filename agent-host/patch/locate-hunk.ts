import { PIECE_LINES, type Pieces } from "./pieces.ts";
import { createTextSearch } from "./search-text.ts";
import { countLines, lineAt, type TextFile } from "./text-file.ts";

/** Finds blocks of lines in a file. */
export interface Locator {
	/** The first line of the block at or after `from`; with `end`, only as the file's last lines. */
	readonly find: (block: readonly string[], from: number, where: "anywhere" | "end") => Pieces<number | undefined>;
	/** Where the block's beginning matches best: the line, and how many lines match there. */
	readonly nearest: (block: readonly string[], from: number) => Pieces<{ readonly at: number; readonly fits: number }>;
}

/**
 * Comparison budget per line of the file, shared by all hunks of a patch, so that time is linear in the file's size.
 */
const STEPS_PER_LINE = 16;
/** Minimum comparison budget of a patch. */
const MIN_STEPS = 1_000_000;

export class TooRepetitive extends Error {}

/** From strict to lenient: a later exact match wins over an earlier lenient one. */
const PASSES: readonly ((line: string) => string)[] = [
	(line) => line,
	(line) => line.trimEnd(),
	(line) => line.trim(),
	(line) => foldCharacters(line).trim(),
];

/** `sought` are the lines of all blocks that will be looked for. */
export function createLocator(file: TextFile, sought: readonly string[]): Locator {
	const lines = countLines(file);
	const byPass = new Map<number, NumberedFile>();
	function* numberedFor(pass: number): Pieces<NumberedFile> {
		const known = byPass.get(pass) ?? (yield* numberFile(file, sought, PASSES[pass] ?? String));
		byPass.set(pass, known);
		return known;
	}
	const search = createTextSearch(file);
	let left = MIN_STEPS + STEPS_PER_LINE * lines;
	const pay = (steps: number): void => {
		left -= steps;
		if (left < 0) throw new TooRepetitive();
	};
	return {
		*find(block, from, where) {
			const last = lines - block.length;
			const first = where === "end" ? Math.max(from, last) : from;
			if (first > last) return undefined;
			pay(block.length * PASSES.length);
			const exact = search(block, first);
			if (exact !== undefined) return exact;
			for (const pass of PASSES.keys()) {
				const { ids, numberOf, lastAt } = yield* numberedFor(pass);
				const wanted = block.map(numberOf);
				// A line of the block does not occur in this part of the file.
				if (wanted.some((id) => id === NOWHERE || (lastAt[id] ?? NOWHERE) < first)) continue;
				yield;
				const at = findBlock(ids, Int32Array.from(wanted), first, pay);
				if (at !== undefined) return at;
			}
			return undefined;
		},
		*nearest(block, from) {
			const { ids, numberOf } = yield* numberedFor(PASSES.length - 1);
			pay(block.length);
			return longestStart(ids, Int32Array.from(block.map(numberOf)), from, pay);
		},
	};
}

interface NumberedFile {
	/** The lines as numbers: equal lines have equal numbers, and lines that no block has are `NOWHERE`. */
	readonly ids: Int32Array;
	/** The number of a line of a block. */
	readonly numberOf: (line: string) => number;
	/** The last occurrence of the line with each number, or `NOWHERE`. */
	readonly lastAt: Int32Array;
}

const NOWHERE = -1;

/** Numbers only what is looked for: a table of all lines would take longer than everything else in a large file. */
function* numberFile(
	file: TextFile,
	sought: readonly string[],
	normalize: (line: string) => string,
): Pieces<NumberedFile> {
	const numbers = new Map<string, number>();
	for (const line of sought.map(normalize)) if (!numbers.has(line)) numbers.set(line, numbers.size);
	const ids = new Int32Array(countLines(file));
	const lastAt = new Int32Array(numbers.size).fill(NOWHERE);
	for (let at = 0; at < ids.length; at += 1) {
		const id = numbers.get(normalize(lineAt(file, at) ?? "")) ?? NOWHERE;
		ids[at] = id;
		if (id !== NOWHERE) lastAt[id] = at;
		if (at % PIECE_LINES === 0) yield;
	}
	return { ids, numberOf: (line) => numbers.get(normalize(line)) ?? NOWHERE, lastAt };
}

type SpendSteps = (steps: number) => void;

/** The first occurrence of the whole block, by Knuth–Morris–Pratt: no line of the file is compared twice. */
function findBlock(ids: Int32Array, block: Int32Array, from: number, pay: SpendSteps): number | undefined {
	const back = fallbacks(block);
	let fits = 0;
	for (let at = from; at < ids.length; at += 1) {
		while (fits > 0 && ids[at] !== block[fits]) fits = back[fits - 1] ?? 0;
		if (ids[at] === block[fits]) fits += 1;
		if (fits === block.length) {
			pay(at - from);
			return at - fits + 1;
		}
	}
	pay(ids.length - from);
	return undefined;
}

/** The first place where the longest prefix of the block matches. */
function longestStart(
	ids: Int32Array,
	block: Int32Array,
	from: number,
	pay: SpendSteps,
): { readonly at: number; readonly fits: number } {
	pay(Math.max(0, ids.length - from));
	const back = fallbacks(block);
	let best = { at: from, fits: 0 };
	let fits = 0;
	for (let at = from; at < ids.length; at += 1) {
		while (fits > 0 && (fits === block.length || ids[at] !== block[fits])) fits = back[fits - 1] ?? 0;
		if (ids[at] === block[fits] && block[fits] !== NOWHERE) fits += 1;
		if (fits > best.fits) best = { at: at - fits + 1, fits };
	}
	return best;
}

/** For each prefix of the block, the length of its longest proper prefix that is also its suffix. */
function fallbacks(block: Int32Array): Int32Array {
	const back = new Int32Array(block.length);
	for (let index = 1, fits = 0; index < block.length; index += 1) {
		while (fits > 0 && block[index] !== block[fits]) fits = back[fits - 1] ?? 0;
		if (block[index] === block[fits]) fits += 1;
		back[index] = fits;
	}
	return back;
}

const FOLDED = /[\u00A0\u2002-\u200A\u2010-\u2015\u2018-\u201F\u202F\u205F\u2212\u3000]/;

/** Replaces the dashes, quotes and spaces of models and word processors by plain ones. */
function foldCharacters(line: string): string {
	if (!FOLDED.test(line)) return line;
	return line
		.replace(/[\u2010-\u2015\u2212]/g, "-")
		.replace(/[\u2018-\u201B]/g, "'")
		.replace(/[\u201C-\u201F]/g, '"')
		.replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}
