import { closeSync, readFileSync } from "node:fs";
import type { StartOptions } from "../backend.ts";
import { type ContainedFiles, type ContainedProcess, type HeldProcess, SCRIPT_FD, spawnWaiting } from "../launch.ts";
import { anonymousFile, type MemfdCache, type RunFolder, writeWhole } from "../run-folder.ts";
import { type LaunchSteps, launchScript, SHELL } from "./launch-script.ts";
import type { CommandPipe, Pipes } from "./pipes.ts";
import type { Prepared } from "./prepare.ts";
import { type FilterLevel, seccompProgram } from "./seccomp.ts";

/**
 * A shell that was started in advance, has bubblewrap's files open and becomes it when told to: most of the time that a
 * start takes the host then passes while the model thinks.
 */
export interface WaitingShell {
	/** Output and errors of the command. */
	readonly output: CommandPipe["ours"];
	/** The caller closes them once it has become bubblewrap. */
	readonly files: ContainedFiles;
	/** Whether it is still there. */
	readonly waits: () => boolean;
	/** Writes what it has to do, all of it, and lets it go on. */
	readonly become: (words: readonly string[], options: Buffer, steps: LaunchSteps) => HeldProcess;
	/** Ends it, if it still waits. */
	readonly discard: () => void;
}

export interface WaitingShells {
	/** The one that waits, if there is one. */
	readonly take: () => WaitingShell | undefined;
	/** Starts the next one a while after the last command began, or a moment after it ended, unless one waits. */
	readonly refill: (after: keyof typeof REFILL_MS) => void;
}

/**
 * Starting a process stops the host for milliseconds, so a short command ends first, and its result goes to the model.
 * The model takes longer for the next one.
 */
const REFILL_MS = { begin: 500, end: 50 };
/** The filter of one that waits. */
const WAITING_LEVEL = "contained";
/** Longer command lines could be too long for the system, which is told before the start only by a new process. */
const MOST_BYTES = 65_536;

/** Whether a waiting shell can become this command's bubblewrap. */
export function canWaitFor(
	{ level, argv, egress }: Pick<Prepared, "level" | "argv" | "egress">,
	{ streams, input }: Pick<StartOptions, "streams" | "input">,
): boolean {
	const bytes = argv.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
	const isPlain = streams === "kept" && input === "closed" && egress === undefined;
	return isPlain && level === WAITING_LEVEL && bytes <= MOST_BYTES && !argv.some((word) => word.includes("\0"));
}

/** What bubblewrap reads and writes, each at its beginning. */
export function openFiles(folder: RunFolder, files: MemfdCache, options: Buffer, level: FilterLevel): ContainedFiles {
	return {
		options: options.length === 0 ? anonymousFile(folder, options) : files.open(options),
		filter: files.open(seccompProgram(process.arch === "arm64" ? "arm64" : "x64", level)),
		status: anonymousFile(folder, Buffer.alloc(0)),
	};
}

export function createWaitingShells(folder: RunFolder, files: MemfdCache, pipes: Pipes): WaitingShells {
	let waiting: WaitingShell | undefined;
	let isStarting = false;
	let soon: NodeJS.Timeout | undefined;
	const start = async (): Promise<void> => {
		const pipe = await pipes.forOutput();
		if (pipe === undefined) return;
		const opened = {
			...openFiles(folder, files, Buffer.alloc(0), WAITING_LEVEL),
			script: anonymousFile(folder, Buffer.alloc(0)),
		};
		try {
			const { shell, child } = startShell(opened, pipe);
			waiting = shell;
			const drop = (): void => {
				if (waiting !== shell) return;
				waiting = undefined;
				shell.discard();
			};
			child.once("error", drop);
			child.once("exit", drop);
		} catch (error) {
			closeAll(opened, pipe.ours);
			throw error;
		} finally {
			closeSync(pipe.theirs);
		}
	};
	const take = (): WaitingShell | undefined => {
		const taken = waiting;
		waiting = undefined;
		if (taken === undefined || taken.waits()) return taken;
		taken.discard();
		return undefined;
	};
	return {
		take,
		refill: (after) => {
			clearTimeout(soon);
			soon = setTimeout(() => {
				if (waiting !== undefined || isStarting) return;
				isStarting = true;
				start()
					// Without one, the next command starts its own.
					.catch(() => undefined)
					.finally(() => {
						isStarting = false;
					});
			}, REFILL_MS[after]);
			soon.unref();
		},
	};
}

function startShell(
	opened: ContainedFiles & { readonly script: number },
	pipe: CommandPipe,
): { readonly shell: WaitingShell; readonly child: ContainedProcess } {
	const { child, become, go } = spawnWaiting(SHELL, opened, pipe.theirs);
	// It does not keep the host from ending.
	pipe.ours.unref();
	let state: "waiting" | "over" = "waiting";
	const shell: WaitingShell = {
		output: pipe.ours,
		files: opened,
		waits: () => child.pid !== undefined && hasMemory(child.pid),
		become: (words, options, steps) => {
			writeWhole(opened.options, options);
			writeWhole(opened.script, Buffer.from(`exec ${SCRIPT_FD}<&- && ${launchScript(words, steps)}`, "utf8"));
			state = "over";
			pipe.ours.ref();
			become();
			return { child, go };
		},
		discard: () => {
			if (state === "over") return;
			state = "over";
			child.kill("SIGKILL");
			closeAll(opened, pipe.ours);
		},
	};
	return { shell, child };
}

/** Whether a process has not ended; one that has is told here a moment before its end is. */
function hasMemory(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
	} catch {
		return false;
	}
}

function closeAll(opened: ContainedFiles, output: CommandPipe["ours"]): void {
	output.destroy();
	for (const handle of Object.values(opened)) closeSync(handle);
}
