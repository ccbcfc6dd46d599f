import { closeSync } from "node:fs";
import type { StartOptions } from "../backend.ts";
import type { ContainedFiles } from "../launch.ts";
import { anonymousFile, type MemfdCache, type RunFolder } from "../run-folder.ts";
import type { Cgroups } from "./cgroups/cgroups.ts";
import { countProcesses } from "./cgroups/count-processes.ts";
import type { Pipes } from "./pipes.ts";
import type { Prepared } from "./prepare.ts";
import { canSetUpAgain, setUpAgain } from "./ready-sandbox.ts";
import { type FilterLevel, seccompProgram } from "./seccomp.ts";
import { closeAll, type PlainShell, startShell, type WaitingShell } from "./waiting-shell.ts";

export interface WaitingShells {
	/** What waits, if the command can start in it. */
	readonly take: (prepared: Prepared) => WaitingShell | undefined;
	/** Starts the next shell a while after a command began, unless one waits. */
	readonly refillAfterBegin: () => void;
	/** The same a moment after it ended; then its sandbox is set up again. */
	readonly refillAfterEnd: (last: Prepared) => void;
	/** Ends what waits. */
	readonly discard: () => void;
}

/**
 * Starting a process stops the host for milliseconds, so a short command ends first, and its result goes to the model.
 * The model takes longer for the next one.
 */
const REFILL_MS = { begin: 500, end: 50 };
/** How long a sandbox waits for a command. It keeps file systems busy, such as that of a disk to be removed. */
const MOST_MS = 60_000;
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

export function createWaitingShells(
	folder: RunFolder,
	files: MemfdCache,
	pipes: Pipes,
	cgroups: Cgroups | undefined,
): WaitingShells {
	let plain: PlainShell | undefined;
	/** Its sandbox is set up. */
	let ready: WaitingShell | undefined;
	let isStarting = false;
	let soon: NodeJS.Timeout | undefined;
	let tooLong: NodeJS.Timeout | undefined;
	const takeAny = (): WaitingShell | undefined => {
		const taken = ready ?? plain;
		[ready, plain] = [undefined, undefined];
		clearTimeout(tooLong);
		return taken;
	};
	const discard = (): void => {
		const taken = takeAny();
		taken?.discard();
		taken?.counted?.end();
	};
	const start = async (): Promise<void> => {
		const pipe = await pipes.forOutput();
		if (pipe === undefined) return;
		const opened = {
			...openFiles(folder, files, Buffer.alloc(0), WAITING_LEVEL),
			script: anonymousFile(folder, Buffer.alloc(0)),
		};
		try {
			const started = startShell(opened, pipe);
			plain = started;
			const drop = (): void => {
				if ((ready ?? plain)?.child === started.child) discard();
			};
			started.child.once("error", drop);
			started.child.once("exit", drop);
		} catch (error) {
			closeAll(opened, pipe.ours);
			throw error;
		} finally {
			closeSync(pipe.theirs);
		}
	};
	const setUp = (shell: PlainShell, last: Prepared): void => {
		const drop = (): void => {
			if (ready?.child === shell.child) discard();
		};
		const counted = countProcesses(last, cgroups);
		plain = undefined;
		try {
			ready = setUpAgain(shell, last, counted, drop);
		} catch (error) {
			shell.discard();
			counted.end();
			throw error;
		}
		tooLong = setTimeout(() => {
			drop();
			void refill(undefined);
		}, MOST_MS);
		tooLong.unref();
	};
	const refill = async (last: Prepared | undefined): Promise<void> => {
		if (isStarting || (ready !== undefined && (last === undefined || ready.isFor(last)))) return;
		isStarting = true;
		if (ready !== undefined) discard();
		try {
			if (plain === undefined) await start();
			if (plain !== undefined && last !== undefined && canSetUpAgain(last)) setUp(plain, last);
		} catch {
			// Without one, the next command starts its own.
		} finally {
			isStarting = false;
		}
	};
	const refillIn = (ms: number, last: Prepared | undefined): void => {
		clearTimeout(soon);
		soon = setTimeout(refill, ms, last);
		soon.unref();
	};
	return {
		take: (prepared) => {
			const waiting = ready ?? plain;
			// A hook, for instance, gets another sandbox than the commands before and after it.
			if (!waiting?.isFor(prepared)) return undefined;
			if (waiting.isIntact()) return takeAny();
			discard();
			return undefined;
		},
		refillAfterBegin: () => refillIn(REFILL_MS.begin, undefined),
		refillAfterEnd: (last) => refillIn(REFILL_MS.end, last),
		discard,
	};
}
