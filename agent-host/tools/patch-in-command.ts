import { shellWords } from "../permissions/command-lines/shell-words.ts";

/** A patch that is a whole command, and the folder to apply it in if the command names one. */
export interface PatchInCommand {
	readonly patch: string;
	readonly folder?: string;
}

const NAMES = new Set(["apply_patch", "applypatch"]);
const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z)?sh$/;

/**
 * The patch that a command would apply, if it does exactly that. Anything before or after it, and anything that a shell
 * would change in it, makes it an ordinary command.
 */
export function patchInCommand(command: string | readonly string[]): PatchInCommand | undefined {
	if (typeof command === "string") return patchInScript(command);
	const [program = "", first = "", second = ""] = command;
	if (NAMES.has(program) && command.length === 2) return { patch: first };
	const isScript = SHELLS.test(program) && /^-l?c$/.test(first) && command.length === 3;
	return isScript ? patchInScript(second) : undefined;
}

/** Whether a command is only a patch, without the program that would apply it. */
export function isBarePatch(command: string | readonly string[]): boolean {
	const [text = ""] = typeof command === "string" ? [command] : command;
	return text.trimStart().startsWith("*** Begin Patch");
}

// The folder begins and ends with a non-space, so that a run of spaces can be matched in only one way.
const FOLDER = String.raw`[^\s&|;<>](?:[^\n&|;<>]*[^\s&|;<>])?`;
const CD = String.raw`^\s*(?:cd[ \t]+(?<folder>${FOLDER})[ \t]*&&[ \t]*)?(?:apply_patch|applypatch)[ \t]*`;
const QUOTED = new RegExp(String.raw`${CD}'(?<patch>[^']*)'\s*$`);
const HEREDOC = new RegExp(
	String.raw`${CD}<<[ \t]*(?<quote>["']?)(?<word>[A-Za-z_]\w*)\k<quote>[ \t]*\n(?<patch>[^]*?)\n\k<word>\s*$`,
);

function patchInScript(script: string): PatchInCommand | undefined {
	const { folder, patch, word, quote } = (HEREDOC.exec(script) ?? QUOTED.exec(script))?.groups ?? {};
	if (patch === undefined) return undefined;
	// The shell stops reading at the first such line, and runs what follows.
	if (patch.split("\n").some((line) => line === word)) return undefined;
	// Without quotes around the delimiter, the shell expands the content.
	if (quote === "" && /[$`\\]/.test(patch)) return undefined;
	if (folder === undefined) return { patch };
	const named = literalWord(folder);
	return named === undefined ? undefined : { patch, folder: named };
}

/** One word that the shell takes literally, and `cd` as a folder below the working one or from the root. */
function literalWord(text: string): string | undefined {
	const words = shellWords(`echo ${text}`);
	const [, word] = words?.length === 2 ? words : [];
	return word === undefined || word.startsWith("-") ? undefined : word;
}
