import { closeSync, readSync } from "node:fs";
import { constants } from "node:os";
import type { CommandLimits } from "../permissions/policy.ts";
import { type Guard, guardProtected } from "./guard.ts";
import { type ContainedFiles, type ContainedProcess, killGroup, type Stdio, spawnContained } from "./launch.ts";
import { type CommandText, createOutput, type Output } from "./output.ts";
import type { Placeholders } from "./placeholders.ts";
import type { Prepared, Refusal } from "./prepare.ts";
import { type RunFolder, unnamedFile } from "./run-folder.ts";
import { seccompProgram } from "./seccomp.ts";
import type { Architecture } from "./syscalls.ts";

/** How a command ended. `notes` are sentences about what the sandbox undid. */
export type CommandEnd =
	| Refusal
	| {
			readonly state: "ended";
			readonly exitCode: number;
			/** The signal behind an exit code above 128, such as SIGSEGV. */
			readonly signal?: string;
			readonly output: CommandText;
			readonly notes: readonly string[];
	  }
	| {
			readonly state: "stopped";
			readonly by: "time" | "user";
			readonly output: CommandText;
			readonly notes: readonly string[];
	  };

/** A command that has been started. It is over, with everything it started, when `ended` resolves. */
export interface RunningCommand {
	readonly state: "running";
	readonly ended: Promise<CommandEnd>;
	readonly output: () => CommandText;
	readonly stop: () => void;
}

export interface StartOptions {
	readonly limits: Pick<CommandLimits, "outputBytes"> & { readonly timeoutMs: number | undefined };
	readonly stdin: Stdio;
	/** `kept`: collected, both streams as one. `inherited`: the host's own, for the command line. */
	readonly output: "kept" | "inherited";
	/** Told what came since the last time, at most ten times a second. */
	readonly onOutput?: (text: string) => void;
}

const UPDATE_MS = 100;
/** Bubblewrap is gone: so is every process that could still write. */
const DRAIN_MS = 2_000;

/** Makes the placeholders, hands bubblewrap its files, and starts the command. */
export function startPrepared(
	prepared: Prepared,
	folder: RunFolder,
	placeholders: Placeholders,
	options: StartOptions,
): RunningCommand | Refusal {
	const guard = guardProtected(prepared.policy, prepared.layout, prepared.present);
	const files: number[] = [];
	const open = (data: Buffer): number => {
		const handle = unnamedFile(folder, data);
		files.push(handle);
		return handle;
	};
	try {
		placeholders.hold(prepared.layout.placeholders);
		const architecture: Architecture = process.arch === "arm64" ? "arm64" : "x64";
		const contained: ContainedFiles = {
			options: open(prepared.options),
			filter: open(seccompProgram(architecture, prepared.level)),
			status: open(Buffer.alloc(0)),
		};
		const kept = options.output === "kept" ? "pipe" : "inherit";
		const child = spawnContained(prepared.bwrap, contained, prepared.argv, [options.stdin, kept, kept]);
		return watch(child, contained.status, options, async () => {
			for (const handle of files) closeSync(handle);
			placeholders.release(prepared.layout.placeholders);
			return guard.settle();
		});
	} catch (error) {
		for (const handle of files) closeSync(handle);
		placeholders.release(prepared.layout.placeholders);
		return { state: "refused", code: "sandbox-unavailable", reason: `The sandbox did not start: ${String(error)}` };
	}
}

function watch(
	child: ContainedProcess,
	status: number,
	options: StartOptions,
	settle: Guard["settle"],
): RunningCommand {
	const output = createOutput(options.limits.outputBytes);
	const publish = publisher(options.onOutput);
	let stopped: "time" | "user" | undefined;
	const stop = (by: "time" | "user"): void => {
		stopped ??= by;
		killGroup(child);
	};
	const { timeoutMs } = options.limits;
	const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs, "time");
	for (const stream of [child.stdout, child.stderr]) {
		stream?.on("data", (chunk: Buffer) => {
			output.push(chunk);
			publish.push(chunk);
		});
	}
	const ended = whenOver(child).then(async (failure): Promise<CommandEnd> => {
		clearTimeout(timer);
		publish.flush();
		const exitCode = readExitCode(status);
		const notes = await settle();
		if (stopped !== undefined) return { state: "stopped", by: stopped, output: output.read(), notes };
		if (exitCode === undefined) return notStarted(failure, output);
		const signal = exitCode > 128 ? SIGNALS.get(exitCode - 128) : undefined;
		return { state: "ended", exitCode, ...(signal === undefined ? {} : { signal }), output: output.read(), notes };
	});
	return { state: "running", ended, output: output.read, stop: () => stop("user") };
}

function whenOver(child: ContainedProcess): Promise<Error | undefined> {
	return new Promise((resolve) => {
		child.on("error", resolve);
		child.on("close", () => resolve(undefined));
		child.on("exit", () => setTimeout(resolve, DRAIN_MS, undefined).unref());
	});
}

/** Bubblewrap writes the code only when the command was really started; its own failures leave none. */
function readExitCode(status: number): number | undefined {
	const bytes = Buffer.alloc(4_096);
	const text = bytes.toString("utf8", 0, readSync(status, bytes, 0, bytes.length, 0));
	const code = /"exit-code"\s*:\s*(\d+)/.exec(text)?.[1];
	return code === undefined ? undefined : Number(code);
}

function notStarted(failure: Error | undefined, output: Output): Refusal {
	const said = (failure?.message ?? output.read().text).trim().slice(0, 500);
	return {
		state: "refused",
		code: "sandbox-unavailable",
		reason: `The sandbox could not be set up, so nothing ran${said === "" ? "." : `: ${said}`}`,
	};
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

function publisher(onOutput: StartOptions["onOutput"]): {
	readonly push: (chunk: Buffer) => void;
	readonly flush: () => void;
} {
	let waiting: Output | undefined;
	let timer: NodeJS.Timeout | undefined;
	const flush = (): void => {
		clearTimeout(timer);
		timer = undefined;
		if (waiting !== undefined) onOutput?.(waiting.read().text);
		waiting = undefined;
	};
	return {
		push: (chunk) => {
			if (onOutput === undefined) return;
			waiting ??= createOutput(UPDATE_BYTES);
			waiting.push(chunk);
			timer ??= setTimeout(flush, UPDATE_MS);
		},
		flush,
	};
}

/** What one update shows at most; the whole is in the outcome. */
const UPDATE_BYTES = 16_384;
