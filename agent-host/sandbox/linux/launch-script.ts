import { SCRIPT_FD, WORD_FD } from "../launch.ts";

/** Every Linux has one here. It is started outside the sandbox, so no command may be able to write to it. */
export const SHELL = "/bin/sh";

/** What a shell does before it becomes bubblewrap. */
export interface LaunchSteps {
	/** The file to write 0 to, to be counted in a group. */
	readonly join?: string | undefined;
	/** The size of the largest file, in a shell's blocks; 0 means no limit. */
	readonly fileBlocks: number;
}

/** Words for a command line to begin with; none if there is nothing to do. */
export function launchWords(steps: LaunchSteps): readonly string[] {
	const first = listSteps(steps);
	return first.length === 0 ? [] : [SHELL, "-c", [...first, 'exec "$@"'].join(" && "), "sh"];
}

/** The same as a script that a waiting shell reads. If a step fails, nothing is started. */
export function launchScript(words: readonly string[], steps: LaunchSteps): string {
	return `${[...listSteps(steps), `exec ${words.map(quote).join(" ")}`].join(" && ")}\n`;
}

/** What a shell reads that waits in its sandbox: it becomes the command, without what it waited on and read. */
export function commandScript(argv: readonly string[]): string {
	return `exec ${WORD_FD}<&- ${SCRIPT_FD}<&- && exec ${argv.map(quote).join(" ")}\n`;
}

function listSteps({ join, fileBlocks }: LaunchSteps): readonly string[] {
	return [
		...(join === undefined ? [] : [`echo 0 > ${quote(join)}`]),
		...(fileBlocks === 0 ? [] : [`ulimit -f ${fileBlocks}`]),
	];
}

function quote(word: string): string {
	return `'${word.replaceAll("'", "'\\''")}'`;
}
