import { closeSync, readFileSync } from "node:fs";
import {
	bubblewrapWords,
	type ContainedFiles,
	type ContainedProcess,
	gateFor,
	type HeldProcess,
	SCRIPT_FD,
	spawnWaiting,
} from "../launch.ts";
import { writeWhole } from "../run-folder.ts";
import type { CountedProcesses } from "./cgroups/count-processes.ts";
import { type HeldCommand, holdBack } from "./hold-back.ts";
import { launchScript, SHELL } from "./launch-script.ts";
import type { CommandPipe } from "./pipes.ts";
import type { Prepared } from "./prepare.ts";

/** What was started in advance for the next command: most of the time that a start takes then passes while the model thinks. */
export interface WaitingShell {
	readonly child: ContainedProcess;
	/** Output and errors of the command. */
	readonly output: CommandPipe["ours"];
	/** The caller closes them once the command has started. */
	readonly files: ShellFiles;
	/** Whether it is still there. */
	readonly waits: () => boolean;
	/** Whether it is for this command, and not only for one that gets another sandbox. */
	readonly isFor: (prepared: Prepared) => boolean;
	/** Whether nothing has happened to it meanwhile. */
	readonly isIntact: () => boolean;
	/** What limits its processes, if it was counted in advance. The caller ends that, too. */
	readonly counted: CountedProcesses | undefined;
	/** Writes what it has to do, all of it, and lets it go on as far as the command is held back. */
	readonly start: (prepared: Prepared, counted: CountedProcesses) => HeldCommand;
	/** Ends it, if it still waits. */
	readonly discard: () => void;
}

/** It has bubblewrap's files open, and becomes bubblewrap when told to. */
export interface PlainShell extends WaitingShell {
	readonly become: (options: Buffer, script: string) => HeldProcess;
}

/** The files that bubblewrap has open, and the one that says what the shell does. */
export type ShellFiles = ContainedFiles & { readonly script: number };

export function startShell(opened: ShellFiles, pipe: CommandPipe): PlainShell {
	const { child, become, go } = spawnWaiting(SHELL, opened, pipe.theirs);
	// It does not keep the host from ending.
	pipe.ours.unref();
	let state: "waiting" | "over" = "waiting";
	const waits = () => child.pid !== undefined && hasMemory(child.pid);
	const shell: PlainShell = {
		child,
		output: pipe.ours,
		files: opened,
		counted: undefined,
		waits,
		isFor: () => true,
		isIntact: waits,
		become: (options, script) => {
			writeWhole(opened.options, options);
			writeWhole(opened.script, Buffer.from(script, "utf8"));
			state = "over";
			become();
			return { child, go };
		},
		start: ({ bwrap, argv, options, told, fileBlocks }, { join }) => {
			const words = bubblewrapWords(bwrap, gateFor(argv), undefined);
			shell.become(options, `exec ${SCRIPT_FD}<&- && ${launchScript(words, { join, fileBlocks })}`);
			keepHost(shell);
			return holdBack(told, opened.status, go);
		},
		discard: () => {
			if (state === "over") return;
			state = "over";
			child.kill("SIGKILL");
			closeAll(opened, pipe.ours);
		},
	};
	return shell;
}

/** The host does not end before a command. */
export function keepHost({ child, output }: Pick<WaitingShell, "child" | "output">): void {
	child.ref();
	output.ref();
}

/** Whether a process has not ended; one that has is told here a moment before its end is. */
function hasMemory(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
	} catch {
		return false;
	}
}

export function closeAll(opened: ContainedFiles, output: CommandPipe["ours"]): void {
	output.destroy();
	for (const handle of Object.values(opened)) closeSync(handle);
}
