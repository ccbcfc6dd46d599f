/** A line of a file of instructions. */
export interface LinePlace {
	readonly path: string;
	readonly line: number;
	readonly text: string;
}

/** Lines that say the same, or the opposite of each other. */
export interface LintFinding {
	readonly kind: "duplicate" | "contradiction";
	readonly places: readonly LinePlace[];
}

/** Shorter lines, such as "Tests" or "Yes", are the same by chance. */
const MIN_WORDS = 2;
const MAX_FINDINGS = 100;
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const DECORATION = /^(?:[-*+>]|\d+[.)]|\[[ x]\])\s+/;
const FORBIDS = /^(?:never|do not|don't|must not|should not|shouldn't|avoid|no)\s+/;
const DEMANDS = /^(?:always|must|should|prefer(?:ably)?|only)\s+/;
const ADDRESS = /^(?:please|you|we|agents?)\s+/;
/** Of each row, a project uses one. */
const ALTERNATIVES: readonly (readonly string[])[] = [
	["tabs", "spaces"],
	["single quotes", "double quotes"],
	["npm", "pnpm", "yarn", "bun"],
	["semicolons", "no semicolons"],
];

interface Statement extends LinePlace {
	/** The words without case and decoration. */
	readonly words: string;
	readonly topic: string;
	readonly isForbidden: boolean;
}

/**
 * What can be seen in instructions without understanding them: lines that are there twice, lines that demand what
 * another forbids, and lines that choose different ones of known alternatives.
 */
export function lintTexts(files: readonly { readonly path: string; readonly text: string }[]): readonly LintFinding[] {
	const statements = files.flatMap(listStatements);
	const twice = group(statements, ({ words }) => words).filter((places) => places.length > 1);
	const opposed = group(statements, ({ topic }) => topic).flatMap((places) => {
		const forbidden = places.find(({ isForbidden }) => isForbidden);
		const demanded = places.find(({ isForbidden }) => !isForbidden);
		return forbidden === undefined || demanded === undefined ? [] : [[demanded, forbidden]];
	});
	const chosen = ALTERNATIVES.flatMap((names) => {
		const first = names.flatMap((name) => statements.find((one) => chooses(one, name)) ?? []);
		return first.length > 1 ? [first] : [];
	});
	return [
		...[...opposed, ...chosen].map((places) => ({ kind: "contradiction" as const, places: places.map(asPlace) })),
		...twice.map((places) => ({ kind: "duplicate" as const, places: places.map(asPlace) })),
	].slice(0, MAX_FINDINGS);
}

function listStatements({ path, text }: { readonly path: string; readonly text: string }): readonly Statement[] {
	let isCode = false;
	return text.split("\n").flatMap((raw, index): readonly Statement[] => {
		if (FENCE.test(raw)) isCode = !isCode;
		const plain = raw.trim().replace(DECORATION, "");
		if (isCode || plain.startsWith("#") || plain.startsWith("|")) return [];
		const words = plain
			.toLowerCase()
			.replaceAll(/[*_`"’]/g, (sign) => (sign === "’" ? "'" : ""))
			.replaceAll(/\s+/g, " ")
			.replaceAll(/[.!;:,](?= |$)/g, "")
			.trim();
		if (words.split(" ").length < MIN_WORDS) return [];
		const bare = words.replace(ADDRESS, "");
		const isForbidden = FORBIDS.test(bare);
		const topic = bare
			.replace(FORBIDS, "")
			.replace(DEMANDS, "")
			.replace(/^using /, "use ");
		return [{ path, line: index + 1, text: plain, words, topic, isForbidden }];
	});
}

function chooses({ topic, isForbidden }: Statement, name: string): boolean {
	const rest = topic.startsWith("use ") ? topic.slice("use ".length) : undefined;
	return !isForbidden && rest !== undefined && (rest === name || rest.startsWith(`${name} `));
}

function group(statements: readonly Statement[], by: (one: Statement) => string): readonly (readonly Statement[])[] {
	return [...Map.groupBy(statements, by).values()];
}

function asPlace({ path, line, text }: Statement): LinePlace {
	return { path, line, text };
}
