import { isAbsolute, join, resolve } from "node:path";

/** One setting of a Git configuration file; names are lower case, as Git compares them. */
export interface GitSetting {
	/** Such as `core.hookspath` or `filter.lfs.clean`. */
	readonly name: string;
	readonly value: string;
}

/**
 * Parses a configuration file as Git does: sections, quotes, comments, continued lines. Linear; unreadable lines are
 * skipped.
 */
export function readGitConfig(text: string): readonly GitSetting[] {
	const settings: GitSetting[] = [];
	let section = "";
	for (const line of joinLines(text)) {
		let rest = line;
		for (let header = HEADER.exec(rest); header !== null; header = HEADER.exec(rest)) {
			rest = rest.slice(header[0].length);
			section = [header[1]?.toLowerCase(), header[2]?.replaceAll(/\\(.)/g, "$1")]
				.filter((part) => part !== undefined)
				.join(".");
		}
		const setting = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/s.exec(rest);
		if (setting?.[1] !== undefined)
			settings.push({ name: `${section}.${setting[1].toLowerCase()}`, value: readValue(setting[2] ?? "") });
	}
	return settings;
}

/** Several may be in one line. */
const HEADER = /^\s*\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;

/** A backslash at the end of a line joins it with the next one, unless the line is a comment. */
function joinLines(text: string): readonly string[] {
	const lines: string[] = [];
	let open = "";
	for (const line of text.split(/\r?\n/)) {
		const slashes = line.length - line.replace(/(?<!\\)\\+$/, "").length;
		const isComment = open === "" && /^\s*[#;]/.test(line);
		if (slashes % 2 === 1 && !isComment) open += line.slice(0, -1);
		else {
			lines.push(open + line);
			open = "";
		}
	}
	return open === "" ? lines : [...lines, open];
}

/** An unquoted comment ends the value. */
function readValue(text: string): string {
	let value = "";
	let isQuoted = false;
	for (let at = 0; at < text.length; at += 1) {
		const char = text[at] ?? "";
		if (char === "\\") value += text[++at] ?? "";
		else if (char === '"') isQuoted = !isQuoted;
		else if ((char === "#" || char === ";") && !isQuoted) break;
		else value += char;
	}
	return value.trim();
}

/**
 * Names and addresses, which do not lead to programs or configuration; the files of a repository are its content, not
 * its configuration.
 */
const NO_PLACES =
	/^(?:user|remote|branch|submodule|url|safe|color|commit|pull|push|fetch|rerere|lfs)\.|^core\.(?:worktree|excludesfile|attributesfile)$/;
/** Those of them that are programs after all. */
const PROGRAMS =
	/^remote\..*\.(?:uploadpack|receivepack)$|^submodule\..*\.update$|^lfs\.(?:customtransfer|extension)\./s;

/**
 * Where the settings of a file may lead: further configuration, hook folders, and programs named with a path. A path is
 * resolved against each of `bases`, because the base depends on the setting.
 */
export function* listConfigPlaces(
	settings: readonly GitSetting[],
	bases: readonly string[],
	home: string,
): Generator<string> {
	for (const { name, value } of settings) {
		if (NO_PLACES.test(name) && !PROGRAMS.test(name)) continue;
		const isPath = name.endsWith(".path") || name.endsWith(".hookspath");
		if (isPath) {
			yield* resolveWord(value, true, bases, home);
			continue;
		}
		const words = value.replace(/^!/, "").split(/[\s'";&|()<>=]+/);
		for (const word of words) if (!word.includes("$")) yield* resolveWord(word, false, bases, home);
		for (const word of [...scriptsIn(words), ...filesIn(words)])
			if (!word.includes("/")) yield* resolveWord(word, true, bases, home);
		yield* expandedIn(value, [...bases, home]);
	}
}

/** The word after each interpreter and its options, unless an option holds the script itself. */
function scriptsIn(words: readonly string[]): readonly string[] {
	return words.flatMap((word, at) => {
		const holds = INTERPRETERS.find(([interpreter]) => interpreter.test(word))?.[1];
		if (holds === undefined) return [];
		const script = words.slice(at + 1, at + 1 + MAX_OPTIONS).find((next) => !next.startsWith("-") || holds.test(next));
		return script === undefined || holds.test(script) ? [] : [script];
	});
}

/** What programs are told to obey: `awk -f`, `ssh -F`, `java -jar`. */
function filesIn(words: readonly string[]): readonly string[] {
	return words.filter((word, at) => NAMING.test(words[at - 1] ?? "") && !word.startsWith("-"));
}

const NAMING = /^(?:-[fF]|-jar|-File|--(?:file|config|rcfile))$/;

/** Each with the options that hold a script, or name one in another way. */
const INTERPRETERS = [
	[/^(?:.*\/)?(?:(?:ba|da|z|k|fi)?sh|source|\.)$/, /^-\w*c$/],
	[/^(?:.*\/)?(?:python[\d.]*|node|deno|bun|perl|ruby|php)$/, /^-\w*[cempr]$|^--(?:eval|print)$/],
] as const;
const MAX_OPTIONS = 10;

/** A path that begins with what only a shell knows, such as `$PWD/tools/x`: as if it were each of these folders. */
function expandedIn(value: string, bases: readonly string[]): readonly string[] {
	const paths = [...value.matchAll(EXPANDED)].map(([, path = ""]) => path);
	return paths.flatMap((path) => bases.map((base) => join(base, path)));
}

const EXPANDED = /(?:\$\w+|[})`])"?(\/[^\s'";&|()<>=$`]+)/g;

function resolveWord(word: string, isPath: boolean, bases: readonly string[], home: string): readonly string[] {
	if (word.startsWith("~/")) return [join(home, word.slice(2))];
	if (isAbsolute(word)) return [resolve(word)];
	if (word === "" || word === "." || word === ".." || !(isPath || word.includes("/"))) return [];
	return bases.map((base) => resolve(base, word));
}

/** The folder of hooks that a configuration names, from each of `bases`. The last one in a file holds. */
export function hookFolders(
	settings: readonly GitSetting[],
	bases: readonly string[],
	home: string,
): readonly string[] {
	const named = settings.findLast(({ name }) => name === "core.hookspath");
	return named === undefined ? [] : resolveWord(named.value, true, bases, home);
}

/** Files that a configuration includes; their settings count as well. */
export function includedFiles(settings: readonly GitSetting[], folder: string, home: string): readonly string[] {
	const includes = settings.filter(({ name }) => /^include(?:if\..*)?\.path$/s.test(name));
	return includes.flatMap(({ value }) => resolveWord(value, true, [folder], home));
}
