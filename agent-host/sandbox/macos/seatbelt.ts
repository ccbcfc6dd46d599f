/** The paths of a rule. */
export type Filter =
	| { readonly kind: "literal"; readonly path: string }
	| { readonly kind: "subpath"; readonly path: string }
	| { readonly kind: "regex"; readonly source: string }
	/** Only matching folders. */
	| { readonly kind: "folders"; readonly source: string }
	| { readonly kind: "except"; readonly of: Filter; readonly not: readonly Filter[] };

export interface Rule {
	readonly verdict: "allow" | "deny";
	readonly operations: readonly string[];
	/** Any of them; an empty list means every path. */
	readonly filters: readonly Filter[];
}

/** A profile whose text contains no user data: paths and patterns are parameters, so none can change its meaning. */
export interface Profile {
	readonly text: string;
	/** Name and value, each for one `-D`. */
	readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Combines fixed text and rules into one profile. */
export function writeProfile(parts: readonly (string | Rule)[]): Profile {
	const names = new Map<string, string>();
	const addParameter = (value: string): string => {
		const name = names.get(value) ?? `P${names.size}`;
		names.set(value, name);
		return `(param "${name}")`;
	};
	const text = parts.map((part) => (typeof part === "string" ? part : writeRule(part, addParameter))).join("\n");
	return { text: `${text}\n`, parameters: [...names].map(([value, name]) => [name, value]) };
}

/** The paths that a denying glob closes, as in `matchesGlob`: all matches, and everything below them. */
export function globRegex(glob: string): string {
	return `^${partsRegex(splitGlob(glob))}(/|$)`;
}

/** The parent folders of a match. If one were renamed, its content would no longer match. */
export function globFolders(glob: string): readonly string[] {
	const parts = splitGlob(glob);
	const ways = parts.map((_, index) => parts.slice(0, index)).filter((way) => way.some((part) => part !== "**"));
	return ways.map((way) => `^${partsRegex(way)}$`);
}

/** Names directly below a folder, ignoring case, and everything below them. */
export function namesRegex(folder: string, names: readonly string[]): string {
	return `^${quote(folder === "/" ? "" : folder)}/(${names.map(foldedPart).join("|")})(/|$)`;
}

function splitGlob(glob: string): readonly string[] {
	const parts = glob.replace(/^\.?\//, "").split("/");
	return parts.length === 1 ? ["**", ...parts] : parts;
}

function partsRegex(parts: readonly string[]): string {
	return parts.map((part) => (part === "**" ? "(/[^/]+)*" : `/${partRegex(part, quote)}`)).join("");
}

function foldedPart(name: string): string {
	return partRegex(name.toLowerCase(), (letter) =>
		/[a-z]/.test(letter) ? `[${letter}${letter.toUpperCase()}]` : quote(letter),
	);
}

function partRegex(part: string, spell: (letter: string) => string): string {
	const spellings: Readonly<Record<string, string>> = { "*": "[^/]*", "?": "[^/]" };
	return [...part].map((letter) => spellings[letter] ?? spell(letter)).join("");
}

function quote(text: string): string {
	return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

function writeRule({ verdict, operations, filters }: Rule, addParameter: (value: string) => string): string {
	const about = filters.map((filter) => `\n  ${writeFilter(filter, addParameter)}`).join("");
	return `(${verdict} ${operations.join(" ")}${about})`;
}

function writeFilter(filter: Filter, addParameter: (value: string) => string): string {
	switch (filter.kind) {
		case "literal":
		case "subpath":
			return `(${filter.kind} ${addParameter(filter.path)})`;
		case "regex":
			return `(regex ${addParameter(filter.source)})`;
		case "folders":
			return `(require-all (regex ${addParameter(filter.source)}) (vnode-type DIRECTORY))`;
		case "except": {
			const nots = filter.not.map((other) => ` (require-not ${writeFilter(other, addParameter)})`).join("");
			return nots === ""
				? writeFilter(filter.of, addParameter)
				: `(require-all ${writeFilter(filter.of, addParameter)}${nots})`;
		}
	}
}
