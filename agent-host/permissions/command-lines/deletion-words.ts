import { shellWords } from "./shell-words.ts";

/** How deep shells that run shells are looked into. */
const MAX_DEPTH = 3;
/** Paths that are told of one command, and characters of one path; what goes beyond cannot be told either. */
const MAX_PATHS = 200;
const MAX_PATH_CHARS = 4_096;
/** A path that cannot be told before the shell has run. */
export const UNTOLD = "";
/** Stand for what the shell would expand while words are told apart; no file is called so. */
const ANY = "@@any@@";
const HOME = "@@home@@";

/**
 * The paths that a command is plainly seen to delete, with all that lies below: `rm`, `git clean` and `find … -delete`, alone or
 * in a chain of plain commands. As written, `~` for the home folder; relative ones start in the command's folder. `UNTOLD` stands
 * for what only the shell knows, as in `rm -rf "$DIR"`. Only a guard against accidents: what a program does by itself is the
 * sandbox's to hold.
 */
export function deletionsIn(command: string | readonly string[]): readonly string[] {
	const found = deletionsAt(command, MAX_DEPTH).map((path) => (path.length > MAX_PATH_CHARS ? UNTOLD : path));
	return found.length > MAX_PATHS ? [...found.slice(0, MAX_PATHS), UNTOLD] : found;
}

function deletionsAt(command: string | readonly string[], depth: number): readonly string[] {
	if (typeof command !== "string") return deletionsOf(command, depth);
	let folder = ".";
	return command
		.replaceAll("\\;", "")
		.split(/&&|\|\||[;|\n]/)
		.flatMap((part) => {
			const words = wordsOf(part.trim());
			if (words[0] === "cd") folder = join(folder, words[1] ?? "~").slice(0, MAX_PATH_CHARS + 1);
			return deletionsOf(words, depth).map((path) => (path === UNTOLD ? path : join(folder, path)));
		});
}

function deletionsOf([program = "", ...rest]: readonly string[], depth: number): readonly string[] {
	const name = program.split("/").at(-1) ?? "";
	if (depth > 0 && SHELL.test(name) && /^-\w*c$/.test(rest[0] ?? "")) return deletionsAt(rest[1] ?? "", depth - 1);
	if (depth > 0 && STARTERS.has(name)) return deletionsOf(rest, depth - 1);
	return pathsOf(name, rest).map(folderOf);
}

const SHELL = /^(?:ba|da|z|k)?sh$/;
const STARTERS: ReadonlySet<string> = new Set(["sudo", "doas", "nice", "nohup"]);

/** `cd` and `command` are words of the shell's own and no plain programs, but they say where and what. */
function wordsOf(part: string): readonly string[] {
	const marked = part
		.replaceAll(/[*?]|\{\}/g, ANY)
		.replaceAll(/(?<![^\s"])(?:~|\$HOME|\$\{HOME\})(?=[/\s"]|$)/g, HOME)
		.replace(BEFORE_PROGRAM, "")
		.replaceAll(REDIRECTION, "");
	const isMove = marked.startsWith("cd ");
	const words = shellWords(isMove ? marked.replace("cd ", "go ") : marked) ?? (isRemoval(marked) ? ["rm", UNTOLD] : []);
	const plain = words.map((word) => (word.startsWith(HOME) ? word.replace(HOME, "~") : word));
	return isMove ? ["cd", ...plain.slice(1)] : plain;
}

/** What may stand before a command's program without changing which one it is. */
const BEFORE_PROGRAM = /^(?:[({!]\s*|(?:then|do|else|time|command)\s+|[A-Z_][A-Z_0-9]*=[\w./-]*\s+)+/;
const REDIRECTION = /(?:\d|&)?>{1,2}\s*(?:&\d|[\w./-]+)|[)}&]\s*$/g;
const REMOVES = /^(?:sudo\s+)?(?:\S*\/)?rm\s(?:.*\s)?-\w*[rR]/;

/** A quote that stands alone means that the chain was cut inside one: then it is text, not a command. */
function isRemoval(part: string): boolean {
	return REMOVES.test(part) && [...part.matchAll(/['"]/g)].length % 2 === 0;
}

function pathsOf(name: string, rest: readonly string[]): readonly string[] {
	switch (name) {
		case "rm":
			return operandsOf(rest);
		case "git":
			return rest[0] === "clean" && !rest.some((word) => DRY_RUN.test(word)) ? cleaned(rest.slice(1)) : [];
		case "find":
			return rest.includes("-delete") || FOUND_REMOVED.test(rest.join(" ")) ? searched(rest) : [];
		default:
			return [];
	}
}

const DRY_RUN = /^(?:--dry-run|-[a-z]*n[a-z]*)$/i;
const FOUND_REMOVED = /-exec(?:dir)? (?:\S*\/)?rm /;

function cleaned(rest: readonly string[]): readonly string[] {
	const named = operandsOf(rest);
	return named.length === 0 ? ["."] : named;
}

function searched(rest: readonly string[]): readonly string[] {
	const first = rest.findIndex((word) => /^[-(!]/.test(word));
	return first === 0 ? ["."] : rest.slice(0, first < 0 ? rest.length : first);
}

function operandsOf(rest: readonly string[]): readonly string[] {
	const end = rest.indexOf("--");
	const options = end < 0 ? rest : rest.slice(0, end);
	return [...options.filter((word) => !word.startsWith("-")), ...(end < 0 ? [] : rest.slice(end + 1))];
}

/** What a pattern matches lies in the folder before its first `*`. */
function folderOf(path: string): string {
	const at = path.indexOf(ANY);
	if (at < 0) return path;
	const folder = path.slice(0, path.lastIndexOf("/", at) + 1);
	return folder === "" ? "." : folder;
}

function join(folder: string, path: string): string {
	return /^[/~]/.test(path) || folder === "." ? path : `${folder}/${path}`;
}
