/** Finds a block of lines in a file. */
export interface Locator {
	/** The first line of the block at or after `from`; with `end`, only as the file's last lines. */
	readonly find: (block: readonly string[], from: number, where: "anywhere" | "end") => number | undefined;
	/** Where the block begins to fit best: its place, and how many of its lines fit there. */
	readonly nearest: (block: readonly string[], from: number) => { readonly at: number; readonly fits: number };
}

/** Comparisons of lines that one file may cost; a patch made to be slow ends here. */
const MAX_COMPARISONS = 200_000_000;

export class TooRepetitive extends Error {}

/** From strict to lenient: a later exact match wins over an earlier lenient one. */
const PASSES: readonly ((line: string) => string)[] = [
	(line) => line,
	(line) => line.trimEnd(),
	(line) => line.trim(),
	(line) => foldCharacters(line).trim(),
];

export function createLocator(lines: readonly string[]): Locator {
	const byPass: (readonly string[] | undefined)[] = [lines];
	let comparisons = 0;
	const linesOf = (pass: number): readonly string[] => {
		byPass[pass] ??= lines.map((line) => PASSES[pass]?.(line) ?? line);
		return byPass[pass] ?? lines;
	};
	const fitAt = (haystack: readonly string[], block: readonly string[], at: number): number => {
		let fits = 0;
		while (fits < block.length && haystack[at + fits] === block[fits]) fits += 1;
		comparisons += fits + 1;
		if (comparisons > MAX_COMPARISONS) throw new TooRepetitive();
		return fits;
	};
	return {
		find: (block, from, where) => {
			const last = lines.length - block.length;
			const first = where === "end" ? Math.max(from, last) : from;
			for (const [pass, normalize] of PASSES.entries()) {
				const haystack = linesOf(pass);
				const wanted = pass === 0 ? block : block.map(normalize);
				for (let at = first; at <= last; at += 1) {
					if (fitAt(haystack, wanted, at) === block.length) return at;
				}
			}
			return undefined;
		},
		nearest: (block, from) => {
			const pass = PASSES.length - 1;
			const [haystack, wanted] = [linesOf(pass), block.map(PASSES[pass] ?? String)];
			let best = { at: from, fits: 0 };
			for (let at = from; at < lines.length; at += 1) {
				const fits = fitAt(haystack, wanted, at);
				if (fits > best.fits) best = { at, fits };
			}
			return best;
		},
	};
}

/** Dashes, quotes and spaces that models and word processors put in place of the plain ones. */
function foldCharacters(line: string): string {
	return line
		.replace(/[\u2010-\u2015\u2212]/g, "-")
		.replace(/[\u2018-\u201B]/g, "'")
		.replace(/[\u201C-\u201F]/g, '"')
		.replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}
