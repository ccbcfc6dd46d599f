import { shellWords } from "./shell-words.ts";

/** How deeply nested shell calls are examined. */
const MAX_DEPTH = 3;
/** Limit for the paths reported per command, and for the length of a path; anything beyond counts as unknown. */
const MAX_PATHS = 200;
const MAX_PATH_CHARS = 4_096;
/** A path that is only known when the shell has run. */
export const UNKNOWN_PATH = "";
/** Placeholder for shell expansions during splitting; no file has this name. */
const ANY = "@@any@@";
const HOME = "@@home@@";

/**
 * The paths that a command visibly deletes, including everything below: `rm`, `git clean` and `find … -delete`, alone
 * or in a chain of plain commands. As written, with `~` for the home folder; relative paths start in the command's
 * folder. `UNKNOWN_PATH` stands for a path that only the shell knows, as in `rm -rf "$DIR"`. This only guards against
 * accidents: the sandbox contains what a program does.
 */
export function listDeletions(command: string | readonly string[]): readonly string[] {
	const found = deletionsAt(command, MAX_DEPTH).map((path) => (path.length > MAX_PATH_CHARS ? UNKNOWN_PATH : path));
	return found.length > MAX_PATHS ? [...found.slice(0, MAX_PATHS), UNKNOWN_PATH] : found;
}

function deletionsAt(command: string | readonly string[], depth: number): readonly string[] {
	if (typeof command !== "string") return findDeletions(command, depth);
	let folder = ".";
	return command
		.replaceAll("\\;", "")
		.split(/&&|\|\||[;|\n]/)
		.flatMap((part) => {
			const words = splitWords(part.trim());
			if (words[0] === "cd") folder = join(folder, words[1] ?? "~").slice(0, MAX_PATH_CHARS + 1);
			return findDeletions(words, depth).map((path) => (path === UNKNOWN_PATH ? path : join(folder, path)));
		});
}

function findDeletions([program = "", ...rest]: readonly string[], depth: number): readonly string[] {
	const name = program.split("/").at(-1) ?? "";
	if (depth > 0 && SHELL.test(name) && /^-\w*c$/.test(rest[0] ?? "")) return deletionsAt(rest[1] ?? "", depth - 1);
	if (depth > 0 && STARTERS.has(name)) return findDeletions(rest, depth - 1);
	return listPaths(name, rest).map(cutAtPattern);
}

const SHELL = /^(?:ba|da|z|k)?sh$/;
const STARTERS: ReadonlySet<string> = new Set(["sudo", "doas", "nice", "nohup"]);

/** `cd` and `command` are shell builtins, not programs, but they matter for the folder and the program. */
function splitWords(part: string): readonly string[] {
	const marked = part
		.replaceAll(/[*?]|\{\}/g, ANY)
		.replaceAll(/(?<![^\s"])(?:~|\$HOME|\$\{HOME\})(?=[/\s"]|$)/g, HOME)
		.replace(BEFORE_PROGRAM, "")
		.replaceAll(REDIRECTION, "");
	const isMove = marked.startsWith("cd ");
	const words =
		shellWords(isMove ? marked.replace("cd ", "go ") : marked) ?? (isRemoval(marked) ? ["rm", UNKNOWN_PATH] : []);
	const plain = words.map((word) => (word.startsWith(HOME) ? word.replace(HOME, "~") : word));
	return isMove ? ["cd", ...plain.slice(1)] : plain;
}

/** What may precede a command's program without changing it. */
const BEFORE_PROGRAM = /^(?:[({!]\s*|(?:then|do|else|time|command)\s+|[A-Z_][A-Z_0-9]*=[\w./-]*\s+)+/;
const REDIRECTION = /(?:\d|&)?>{1,2}\s*(?:&\d|[\w./-]+)|[)}&]\s*$/g;
const REMOVES = /^(?:sudo\s+)?(?:\S*\/)?rm\s(?:.*\s)?-\w*[rR]/;

/** A lone quote means that the chain was split inside a quoted text: then it is not a command. */
function isRemoval(part: string): boolean {
	return REMOVES.test(part) && [...part.matchAll(/['"]/g)].length % 2 === 0;
}

function listPaths(name: string, rest: readonly string[]): readonly string[] {
	switch (name) {
		case "rm":
			return listOperands(rest);
		case "git":
			return rest[0] === "clean" && !rest.some((word) => DRY_RUN.test(word)) ? listCleaned(rest.slice(1)) : [];
		case "find":
			return rest.includes("-delete") || FOUND_REMOVED.test(rest.join(" ")) ? listSearched(rest) : [];
		default:
			return [];
	}
}

const DRY_RUN = /^(?:--dry-run|-[a-z]*n[a-z]*)$/i;
const FOUND_REMOVED = /-exec(?:dir)? (?:\S*\/)?rm /;

function listCleaned(rest: readonly string[]): readonly string[] {
	const named = listOperands(rest);
	return named.length === 0 ? ["."] : named;
}

function listSearched(rest: readonly string[]): readonly string[] {
	const first = rest.findIndex((word) => /^[-(!]/.test(word));
	return first === 0 ? ["."] : rest.slice(0, first < 0 ? rest.length : first);
}

function listOperands(rest: readonly string[]): readonly string[] {
	const end = rest.indexOf("--");
	const options = end < 0 ? rest : rest.slice(0, end);
	return [...options.filter((word) => !word.startsWith("-")), ...(end < 0 ? [] : rest.slice(end + 1))];
}

/** The matches of a pattern are in the folder before its first `*`. */
function cutAtPattern(path: string): string {
	const at = path.indexOf(ANY);
	if (at < 0) return path;
	const folder = path.slice(0, path.lastIndexOf("/", at) + 1);
	return folder === "" ? "." : folder;
}

function join(folder: string, path: string): string {
	return /^[/~]/.test(path) || folder === "." ? path : `${folder}/${path}`;
}
