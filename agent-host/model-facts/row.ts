/** An effort is one letter in the table. */
export const EFFORT_LETTERS: ReadonlyMap<string, string> = new Map([
	["none", "n"],
	["minimal", "i"],
	["low", "l"],
	["medium", "m"],
	["high", "h"],
	["xhigh", "x"],
	["max", "a"],
]);

/** US dollars per million tokens. */
export interface ListedPrice {
	readonly input: number;
	readonly output: number;
	readonly cached?: number;
	readonly cacheWrite?: number;
}

/** What is publicly known about a model. */
export interface ModelFacts {
	/** Tokens. */
	readonly window?: number;
	readonly output?: number;
	readonly images: boolean;
	readonly reasoning: boolean;
	/** The efforts it can be asked for; absent if it reasons and nobody lists them. */
	readonly efforts?: readonly string[];
	readonly price?: ListedPrice;
}

export function readId(row: string): string {
	return row.slice(0, row.indexOf(" "));
}

/** A row of the table: id, window, output, images, efforts, and prices of input, output, cache reads and writes. */
export function readRow(row: string): ModelFacts {
	const [, window, output, images, efforts = "-", ...prices] = row.split(" ");
	return {
		...(Number(window) > 0 ? { window: Number(window) } : {}),
		...(Number(output) > 0 ? { output: Number(output) } : {}),
		images: images === "i",
		reasoning: efforts !== "-",
		...(efforts === "?" ? {} : { efforts: readEfforts(efforts) }),
		...readPrice(prices),
	};
}

function readEfforts(letters: string): readonly string[] {
	return [...EFFORT_LETTERS].flatMap(([effort, letter]) => (letters.includes(letter) ? [effort] : []));
}

function readPrice([input, output, cached = "-", cacheWrite = "-"]: readonly string[]): {
	readonly price?: ListedPrice;
} {
	if (input === undefined || output === undefined) return {};
	const price = {
		input: Number(input),
		output: Number(output),
		...(cached === "-" ? {} : { cached: Number(cached) }),
		...(cacheWrite === "-" ? {} : { cacheWrite: Number(cacheWrite) }),
	};
	return { price };
}
