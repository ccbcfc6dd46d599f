import type { CommandRule } from "../../protocol/settings/policy-settings.ts";
import { type LooseWord, looseCommands } from "./loose-words.ts";

/** `unclear`: the text does not tell whether the rule covers it. */
export type DenyVerdict = "denied" | "unclear" | "clear";

/**
 * Whether a rule that denies covers a command or any part of it. Unlike a rule that allows, it covers every option, and
 * a program by any path. It reads the command, not what its programs start.
 */
export function judgeDenied({ prefix }: CommandRule, command: string | readonly string[]): DenyVerdict {
	const commands = typeof command === "string" ? looseCommands(command) : [command];
	if (commands === undefined) return "unclear";
	const found = commands.map((words) => compare(prefix, words));
	if (found.includes("denied")) return "denied";
	return found.includes("unclear") ? "unclear" : "clear";
}

function compare(prefix: readonly string[], words: readonly LooseWord[]): DenyVerdict {
	const [program, ...rest] = words;
	const [denied = "", ...more] = prefix;
	if (program === undefined) return "unclear";
	if (programName(program) === programName(denied)) return compareRest(more, rest);
	return mayStart(programName(program), programName(denied), rest) ? "unclear" : "clear";
}

function compareRest(prefix: readonly string[], rest: readonly LooseWord[]): DenyVerdict {
	if (prefix.every((word, index) => rest[index] === word)) return "denied";
	// Options may come in between, as in `git -C folder push`.
	let left = [...rest];
	for (const word of prefix) {
		const at = left.findIndex((other) => other === undefined || other === word);
		if (at < 0) return "clear";
		left = left.slice(at + 1);
	}
	return "unclear";
}

/** `/usr/bin/git` and `git.exe` are `git`. */
function programName(program: string): string {
	const name = program.split(/[/\\]/).at(-1) ?? "";
	return name.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, "");
}

/** Whether a program may start the denied one from its words or its input. */
function mayStart(program: string, denied: string, rest: readonly LooseWord[]): boolean {
	if (RUNS_TEXT.has(program)) return true;
	const hasScript = rest.some((word) => word !== undefined && !/^[-+]/.test(word));
	if (SHELLS.has(program) && (!hasScript || rest.some((word) => word === undefined || /^-\w*c$/.test(word))))
		return true;
	return rest.some((word) => (word === undefined ? STARTS_WORDS.has(program) : isNamedIn(word, denied)));
}

/** The name with no letter or digit beside it. */
function isNamedIn(word: string, name: string): boolean {
	const at = word.toLowerCase().indexOf(name);
	if (at < 0) return false;
	const beside = `${word.charAt(at - 1)}${word.charAt(at + name.length)}`;
	return !/[\w.-]/.test(beside) || /\s/.test(word);
}

const SHELLS: ReadonlySet<string> = new Set(
	"sh bash dash zsh fish ksh csh tcsh ash busybox pwsh powershell cmd".split(" "),
);
/** Builtins that run a text, or define what runs later. */
const RUNS_TEXT: ReadonlySet<string> = new Set("eval source . trap alias function coproc select case".split(" "));
const STARTS_WORDS: ReadonlySet<string> = new Set(
	"env sudo su doas xargs parallel find fd nohup nice ionice timeout stdbuf setsid script watch command builtin exec".split(
		" ",
	),
);
