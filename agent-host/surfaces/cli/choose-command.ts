import { basename } from "node:path";

/** Commands of the command line, besides the flags that serve an editor. */
export type CommandName =
	| "sandbox"
	| "apply-patch"
	| "exec"
	| "threads"
	| "compact"
	| "mcp"
	| "acp"
	| "replay"
	| "doctor"
	| "completion";

interface CommandEntry {
	readonly name: CommandName;
	/** Program names that mean this command, so that it works inside scripts and inside the sandbox. */
	readonly startedAs: readonly string[];
	/** First arguments that mean it. */
	readonly words: readonly string[];
}

const COMMANDS: readonly CommandEntry[] = [
	{
		name: "sandbox",
		startedAs: ["vitrine-linux-sandbox"],
		words: ["sandbox", "debug"],
	},
	{
		name: "apply-patch",
		startedAs: ["apply_patch", "applypatch"],
		words: ["apply-patch", "--vitrine-run-as-apply-patch"],
	},
	{ name: "exec", startedAs: [], words: ["exec"] },
	{ name: "threads", startedAs: [], words: ["threads"] },
	{ name: "compact", startedAs: [], words: ["compact"] },
	{ name: "mcp", startedAs: [], words: ["mcp"] },
	{ name: "acp", startedAs: [], words: ["acp"] },
	{ name: "replay", startedAs: [], words: ["replay"] },
	{ name: "doctor", startedAs: [], words: ["doctor"] },
	{ name: "completion", startedAs: [], words: ["completion"] },
];

export interface ChosenCommand {
	readonly name: CommandName;
	readonly args: readonly string[];
}

/** Chooses the command by the name the program was started as, otherwise by its first argument. */
export function chooseCommand(
	started: { readonly argv0: string; readonly script: string },
	args: readonly string[],
): ChosenCommand | undefined {
	const names = [programName(started.argv0), programName(started.script)];
	const byName = COMMANDS.find(({ startedAs }) => startedAs.some((name) => names.includes(name)));
	if (byName !== undefined) return { name: byName.name, args };
	const byWord = COMMANDS.find(({ words }) => words.includes(args[0] ?? ""));
	return byWord === undefined ? undefined : { name: byWord.name, args: args.slice(1) };
}

/** What follows `--` is for a program that the command starts, or a prompt. */
export function asksForHelp(args: readonly string[]): boolean {
	const end = args.indexOf("--");
	return (end < 0 ? args : args.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

function programName(path: string): string {
	return basename(path.replaceAll("\\", "/")).replace(/\.(?:cjs|exe|cmd)$/, "");
}
