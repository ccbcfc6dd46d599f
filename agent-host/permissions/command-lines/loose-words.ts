/** A word as the shell would read it; undefined if only the shell knows. */
export type LooseWord = string | undefined;

const MAX_CHARS = 100_000;

export interface LooseScript {
	readonly commands: readonly (readonly LooseWord[])[];
	/** The assignments before programs, and those alone. */
	readonly assigned: readonly LooseWord[];
}

/**
 * The commands that a script would run, as far as its text tells: separators, redirections and keywords are removed.
 * Undefined if the text hides commands, as in `$(…)`, here-documents and unbalanced quotes. Only for rules that deny:
 * what is read here is never a reason to allow.
 */
export function readLoosely(script: string): LooseScript | undefined {
	if (script.length > MAX_CHARS || /\\\n|[$<>=]\(/.test(script)) return undefined;
	const commands: LooseWord[][] = [[]];
	let isTarget = false;
	let at = 0;
	while (at < script.length) {
		TOKEN.lastIndex = at;
		const { blank, end, redirection, word } = TOKEN.exec(script)?.groups ?? {};
		const token = blank ?? end ?? redirection ?? word;
		if (token === undefined || word?.includes("`")) return undefined;
		at += token.length;
		if (end !== undefined) commands.push([]);
		if (redirection !== undefined) isTarget = !/&[\d-]$/.test(redirection);
		if (word === undefined) continue;
		if (!isTarget) commands.at(-1)?.push(readWord(word));
		isTarget = false;
	}
	const split = commands.map(splitLead);
	return {
		commands: split.map(({ words }) => words).filter((words) => words.length > 0),
		assigned: split.flatMap(({ lead }) => lead.filter((word) => !LEADING.has(word ?? ""))),
	};
}

const TOKEN =
	/(?<blank>[ \t]+|(?<![^\s;&|()])#[^\n]*)|(?<redirection>&>>?|\d*(?:>>|>\||>&[\d-]?|<&[\d-]?|<<<|<>|>|<(?!<)))|(?<end>&&|\|\||;;|\|&|[;&|()\n])|(?<word>(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s;&|()<>'"\\])+)/y;

const SEGMENT = /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<bare>[^'"\\]+)/g;

function readWord(word: string): LooseWord {
	if (PUNCTUATION.has(word)) return word;
	let text = "";
	for (const { groups = {} } of word.matchAll(SEGMENT)) {
		const { single, double, escaped, bare } = groups;
		if (double?.includes("$") || (bare !== undefined && /[$*?[\]{}~!]/.test(bare))) return undefined;
		text += single ?? double?.replaceAll(/\\(["\\$])/g, "$1") ?? escaped ?? bare ?? "";
	}
	return text;
}

const PUNCTUATION: ReadonlySet<string> = new Set(["{", "}", "!", "[", "]", "[[", "]]"]);

/** Splits off what may precede a program: keywords and assignments. */
function splitLead(words: readonly LooseWord[]): {
	readonly lead: readonly LooseWord[];
	readonly words: readonly LooseWord[];
} {
	const first = words.findIndex((word) => word === undefined || !(LEADING.has(word) || /^\w+\+?=/.test(word)));
	const end = first < 0 ? words.length : first;
	return { lead: words.slice(0, end), words: words.slice(end) };
}

const LEADING: ReadonlySet<string> = new Set("if then else elif do while until ! { } time fi done esac".split(" "));
