import type { CommandRule } from "../../protocol/settings/policy-settings.ts";
import { compareArguments, type DenyVerdict } from "./deny-arguments.ts";
import { type LooseWord, readLoosely } from "./loose-words.ts";

/**
 * Whether a rule that denies covers a command or any part of it. Unlike a rule that allows, it covers every option, and
 * a program by any path. It reads the command, not what its programs start.
 */
export function judgeDenied({ prefix }: CommandRule, command: string | readonly string[]): DenyVerdict {
	const script = typeof command === "string" ? readLoosely(command) : { commands: [command], assigned: [] };
	if (script === undefined) return "unclear";
	const { commands } = script;
	const assigned = [
		...script.assigned,
		...commands.flatMap(([program, ...rest]) => (isAssigning(program) ? rest : [])),
	];
	const found = commands.map((words) => compare(prefix, words, assigned));
	if (found.includes("denied")) return "denied";
	return found.includes("unclear") ? "unclear" : "clear";
}

function compare(prefix: readonly string[], words: readonly LooseWord[], assigned: readonly LooseWord[]): DenyVerdict {
	const [program, ...rest] = words;
	const [denied = "", ...more] = prefix;
	if (program === undefined) return "unclear";
	const [name, wanted] = [programName(program), programName(denied)];
	if (name === wanted) return compareArguments(more, rest, assigned);
	// Such as `git-push`, which is `git push`.
	if (more[0] !== undefined && name === `${wanted}-${more[0]}`) return compareArguments(more.slice(1), rest, assigned);
	return mayStart(name, wanted, rest) ? "unclear" : "clear";
}

function isAssigning(program: LooseWord): boolean {
	return program !== undefined && ASSIGNING.has(program);
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
const ASSIGNING: ReadonlySet<string> = new Set("export declare typeset readonly local".split(" "));
/** Builtins that run a text, or define what runs later. */
const RUNS_TEXT: ReadonlySet<string> = new Set("eval source . trap alias function coproc select case".split(" "));
const STARTS_WORDS: ReadonlySet<string> = new Set(
	"env sudo su doas xargs parallel find fd nohup nice ionice timeout stdbuf setsid script watch command builtin exec".split(
		" ",
	),
);
