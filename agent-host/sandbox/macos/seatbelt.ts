/** Which paths a rule is about. */
export type Filter =
	| { readonly kind: "literal"; readonly path: string }
	| { readonly kind: "subpath"; readonly path: string }
	| { readonly kind: "regex"; readonly source: string }
	/** Only folders that match. */
	| { readonly kind: "folders"; readonly source: string }
	| { readonly kind: "except"; readonly of: Filter; readonly not: readonly Filter[] };

export interface Rule {
	readonly verdict: "allow" | "deny";
	readonly operations: readonly string[];
	/** Any of them; none means every path. */
	readonly filters: readonly Filter[];
}

/** A profile whose text holds nothing of the user's: paths and patterns are parameters, so none can change what it says. */
export interface Profile {
	readonly text: string;
	/** Name and value, each for one `-D`. */
	readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Writes parts of fixed text and rules as one profile. */
export function writeProfile(parts: readonly (string | Rule)[]): Profile {
	const names = new Map<string, string>();
	const nameOf = (value: string): string => {
		const name = names.get(value) ?? `P${names.size}`;
		names.set(value, name);
		return `(param "${name}")`;
	};
	const text = parts.map((part) => (typeof part === "string" ? part : writeRule(part, nameOf))).join("\n");
	return { text: `${text}\n`, parameters: [...names].map(([value, name]) => [name, value]) };
}

/** What a denying glob closes, as `matchesGlob` reads it: whatever matches, and all that lies below. */
export function globRegex(glob: string): string {
	return `^${partsRegex(partsOf(glob))}(/|$)`;
}

/** The folders on the way to a match. Were one renamed, what lies in it would not match any longer. */
export function globFolders(glob: string): readonly string[] {
	const parts = partsOf(glob);
	const ways = parts.map((_, index) => parts.slice(0, index)).filter((way) => way.some((part) => part !== "**"));
	return ways.map((way) => `^${partsRegex(way)}$`);
}

/** Names directly below a folder, in any case, and all that lies below them. */
export function namesRegex(folder: string, names: readonly string[]): string {
	return `^${quote(folder === "/" ? "" : folder)}/(${names.map(foldedPart).join("|")})(/|$)`;
}

function partsOf(glob: string): readonly string[] {
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

function writeRule({ verdict, operations, filters }: Rule, nameOf: (value: string) => string): string {
	const about = filters.map((filter) => `\n  ${writeFilter(filter, nameOf)}`).join("");
	return `(${verdict} ${operations.join(" ")}${about})`;
}

function writeFilter(filter: Filter, nameOf: (value: string) => string): string {
	switch (filter.kind) {
		case "literal":
		case "subpath":
			return `(${filter.kind} ${nameOf(filter.path)})`;
		case "regex":
			return `(regex ${nameOf(filter.source)})`;
		case "folders":
			return `(require-all (regex ${nameOf(filter.source)}) (vnode-type DIRECTORY))`;
		case "except": {
			const nots = filter.not.map((other) => ` (require-not ${writeFilter(other, nameOf)})`).join("");
			return nots === "" ? writeFilter(filter.of, nameOf) : `(require-all ${writeFilter(filter.of, nameOf)}${nots})`;
		}
	}
}
