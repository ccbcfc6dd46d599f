import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { PLATFORM } from "../platform/platform.ts";
import type { Started } from "../platform/port.ts";

export interface LaunchLimits {
	readonly timeoutMs: number;
	readonly outputBytes: number;
}

export type LaunchOutcome =
	| { readonly state: "ended"; readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }
	/** The limit on time or output was reached and the process was killed; `stdout` is the output before that. */
	| { readonly state: "cut"; readonly by: "time" | "output"; readonly stdout: string }
	| { readonly state: "refused"; readonly reason: string };

/** The environment of a contained program, without anything from the host's. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };

const STDERR_BYTES = 4_096;
const PROBE_BYTES = 65_536;

/**
 * This file is the only place that starts processes. Runs a program to its end, within limits and without the host's
 * environment.
 */
export function runToEnd(
	program: string,
	args: readonly string[],
	{ stdin, held }: { readonly stdin: string; readonly held: number | undefined },
	limits: LaunchLimits,
	signal: AbortSignal,
): Promise<LaunchOutcome> {
	signal.throwIfAborted();
	const stdio: Stdio[] = ["pipe", "pipe", "pipe", ...(held === undefined ? [] : [held])];
	// A separate process group and session: one signal reaches bwrap, and its pid namespace ends the rest.
	const child = spawn(program, args, { cwd: "/", env: ENVIRONMENT, stdio, detached: true });
	return collect(child, stdin, limits, signal);
}

/**
 * Descriptors of complete files for bubblewrap: its options, the filter, and where it reports how the command ended.
 */
export interface ContainedFiles {
	readonly options: number;
	readonly filter: number;
	readonly status: number;
}

/** The number in the new process of the one descriptor that a program to run to its end is given. */
export const HELD_FD = "3";

/** The numbers of those descriptors in the new process; the options refer to all but the first. */
export const FILTER_FD = "4";
export const STATUS_FD = "5";
/** Bubblewrap waits for a byte here before it starts the command. It does not tell a byte from the end. */
export const GO_FD = "6";
/** So the command's first program waits here for a word, and ends at anything else. */
export const WORD_FD = 7;
const WORD = "begin";
/** A shell reads here what to do once it no longer waits. The script has to close it. */
export const SCRIPT_FD = 8;

export type ContainedProcess = ChildProcess;

/** A process that is or becomes bubblewrap, and holds the command back in its sandbox. */
export interface HeldProcess {
	readonly child: ChildProcess;
	/** Makes it start the command. */
	readonly go: () => void;
}

export type Stdio = "ignore" | "pipe" | "inherit" | number;

/**
 * The command line of bubblewrap, or of the program that joins a network and becomes it.
 * @param gate What waits in the sandbox and becomes the command.
 */
export function bubblewrapWords(bwrap: string, gate: readonly string[], joins: Joined | undefined): readonly string[] {
	const joined =
		joins === undefined ? [] : [joins.nsenter, "-t", String(joins.pid), "-U", "-n", "--preserve-credentials", "--"];
	return [...joined, bwrap, "--args", "3", "--", "/bin/sh", "-c", ...gate];
}

/** A shell goes on only once it is told to: not if the host dies or cannot write. No command is given a variable of that name. */
const AT_WORD = `read -r VITRINE_WORD <&${WORD_FD} && [ "$VITRINE_WORD" = ${WORD} ]`;

/** It becomes this command. */
export function gateFor(argv: readonly string[]): readonly string[] {
	return [`${AT_WORD} && exec "$@" ${WORD_FD}<&-`, "sh", ...argv];
}

/** It becomes what its script says by then. */
export const GATE_FOR_SCRIPT: readonly string[] = [`${AT_WORD} && . /proc/self/fd/${SCRIPT_FD}`, "sh"];
/**
 * Starts a command in a sandbox with complete options. Bubblewrap itself gets an empty environment: variables of the
 * command, such as LD_PRELOAD, would otherwise take effect before anything is contained.
 * @param words Its command line, or that of a program that becomes it.
 */
export function spawnContained(
	words: readonly string[],
	files: ContainedFiles,
	stdio: readonly [Stdio, Stdio, Stdio],
): HeldProcess {
	const [program = "", ...args] = words;
	const child = spawn(program, args, {
		...BEFORE_CONTAINED,
		// In the host's session: bubblewrap starts a new one for the command, and a second one adds a tenth to the start
		// time.
		stdio: [...stdio, files.options, files.filter, files.status, "pipe", "pipe"],
	});
	return { child, go: beginOver(channelTo(child, Number(GO_FD)), channelTo(child, WORD_FD)) };
}

/**
 * Starts a shell that waits for a line on the channel on which bubblewrap will wait for its byte, then runs a script that
 * makes it bubblewrap. It ends with the host, whose end of the channel is the only one. Its environment is empty, as that
 * of bubblewrap.
 */
export function spawnWaiting(
	shell: string,
	files: ContainedFiles & { readonly script: number },
	output: number,
): HeldProcess & { readonly become: () => void } {
	const wait = `read -r _ <&${GO_FD} && . /proc/self/fd/${SCRIPT_FD}`;
	const child = spawn(shell, ["-c", wait], {
		...BEFORE_CONTAINED,
		stdio: ["ignore", output, output, files.options, files.filter, files.status, "pipe", "pipe", files.script],
	});
	const channel = channelTo(child, Number(GO_FD));
	child.unref();
	return { child, become: () => channel.write("\n"), go: beginOver(channel, channelTo(child, WORD_FD)) };
}

/** For whatever becomes bubblewrap. */
const BEFORE_CONTAINED = { cwd: "/", env: {} };

/** What Node makes of a pipe. */
interface Channel {
	readonly on: (event: "error", listener: () => void) => void;
	readonly unref: () => void;
	readonly write: (text: string) => void;
	readonly end: (text: string) => void;
}

function beginOver(go: Channel, word: Channel): () => void {
	return () => {
		word.end(`${WORD}\n`);
		go.end("g");
	};
}

/** Our end of a channel on which a process waits; it does not keep the host from ending. */
function channelTo(child: ChildProcess, handle: number): Channel {
	const channel = (child.stdio as readonly unknown[])[handle] as Channel;
	// The process may have been ended by somebody else.
	channel.on("error", () => undefined);
	channel.unref();
	return channel;
}

/** The process whose network a command joins, and the program that joins it. */
export interface Joined {
	readonly nsenter: string;
	readonly pid: number;
}

/**
 * Starts a shell in a network without a way out. It first runs `script` with this Node, which may send what it opened
 * there through its channel; then it waits until its input is closed, at the latest when the host ends.
 */
export function spawnHolder(bwrap: string, script: string): ChildProcess {
	const contained = ["--ro-bind", "/", "/", "--unshare-user", "--unshare-net", "--unshare-ipc", "--die-with-parent"];
	const shell = ["/bin/sh", "-c", '"$0" -e "$1"; exec 3>&-; read -r _', process.execPath, script];
	return spawn(bwrap, [...contained, "--new-session", "--cap-drop", "ALL", "--", ...shell], {
		cwd: "/",
		env: { ...ENVIRONMENT, ELECTRON_RUN_AS_NODE: "1" },
		stdio: ["pipe", "ignore", "ignore", "ipc"],
		detached: true,
	});
}

/**
 * Starts a command under Seatbelt. System programs such as sandbox-exec load no library from the environment, so it can
 * be given the command's environment.
 */
export function spawnSeatbelt(
	sandboxExec: string,
	args: readonly string[],
	where: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> },
	stdio: readonly [Stdio, Stdio, Stdio],
): ChildProcess {
	return spawn(sandboxExec, args, { cwd: where.cwd, env: where.environment, stdio: [...stdio], detached: true });
}

/**
 * Starts a command that nothing contains, because this machine has no sandbox and the user said so: where there are
 * groups in its own session and group, so that one signal reaches what it started.
 */
export function spawnUncontained(
	{ file, args, isQuoted }: Started,
	where: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> },
	stdio: readonly [Stdio, Stdio, Stdio],
): ChildProcess {
	return spawn(file, args, {
		cwd: where.cwd,
		env: where.environment,
		stdio: [...stdio],
		detached: PLATFORM.hasGroups,
		windowsHide: true,
		windowsVerbatimArguments: isQuoted,
	});
}

/** Runs a sandbox without any of the user's files, to see whether it works. */
export function runProbe(
	program: string,
	args: readonly string[],
	timeoutMs: number,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
	return new Promise((resolve) => {
		const child = spawn(program, args, {
			cwd: "/",
			env: ENVIRONMENT,
			stdio: ["ignore", "pipe", "pipe"],
			detached: true,
		});
		let output = "";
		const take = (chunk: Buffer) => {
			if (output.length < PROBE_BYTES) output += chunk.toString("utf8");
		};
		child.stdout.on("data", take);
		child.stderr.on("data", take);
		const timer = setTimeout(() => killGroup(child), timeoutMs);
		child.on("error", (error) => resolve({ exitCode: null, output: error.message }));
		child.on("close", (exitCode) => {
			clearTimeout(timer);
			resolve({ exitCode, output });
		});
	});
}

function collect(
	child: ChildProcess,
	stdin: string,
	limits: LaunchLimits,
	signal: AbortSignal,
): Promise<LaunchOutcome> {
	return new Promise((resolve, reject) => {
		const stdout: Buffer[] = [];
		let stderr = "";
		let bytes = 0;
		let cut: "time" | "output" | undefined;
		const stop = (by: "time" | "output") => {
			cut ??= by;
			killSandbox(child);
		};
		const timer = setTimeout(stop, limits.timeoutMs, "time");
		const onAbort = () => killSandbox(child);
		signal.addEventListener("abort", onAbort, { once: true });
		child.stdout?.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > limits.outputBytes) stop("output");
			else stdout.push(chunk);
		});
		child.stderr?.on("data", (chunk: Buffer) => {
			if (stderr.length < STDERR_BYTES) stderr += chunk.toString("utf8");
		});
		// The program may end without reading all its input, which is not an error.
		child.stdin?.on("error", () => undefined);
		child.stdin?.end(stdin);
		const finish = (outcome: LaunchOutcome) => {
			clearTimeout(timer);
			signal.removeEventListener("abort", onAbort);
			if (signal.aborted) reject(signal.reason);
			else resolve(outcome);
		};
		child.on("error", (error) => finish({ state: "refused", reason: `The sandbox could not start: ${error.message}` }));
		child.on("close", (exitCode) => {
			const text = Buffer.concat(stdout).toString("utf8");
			finish(
				cut === undefined
					? { state: "ended", exitCode, stdout: text, stderr }
					: { state: "cut", by: cut, stdout: text },
			);
		});
	});
}

/**
 * Kills bubblewrap and its sandbox. The sandbox's first process asks to die with bubblewrap only after it has started the
 * program; on a busy machine the program may be far along by then.
 */
function killSandbox(child: ChildProcess): void {
	for (const pid of listChildren(child)) {
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// It has ended.
		}
	}
	killGroup(child);
}

/** Of a process that has not ended; none where the kernel does not list them. */
function listChildren({ pid, exitCode, signalCode }: ChildProcess): readonly number[] {
	if (exitCode !== null || signalCode !== null) return [];
	try {
		return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
	} catch {
		return [];
	}
}

/** Kills bubblewrap, with its group if it leads one; its pid namespace ends everything the command started. */
export function killGroup(child: ChildProcess): void {
	if (child.pid === undefined) return;
	try {
		if (PLATFORM.hasGroups) process.kill(-child.pid, "SIGKILL");
		else endTree(child, child.pid);
	} catch {
		// It leads no group, or it ended between our decision and the signal.
		child.kill("SIGKILL");
	}
}

/** Ends a process group that another host has started. */
export function endGroup(leader: number): void {
	try {
		process.kill(-leader, "SIGKILL");
	} catch {
		// It has already ended.
	}
}

/** When a process started, as the system's ps tells it, where there is no /proc; undefined if there is none. */
export function askStartTime(pid: number): string | undefined {
	const { stdout } = spawnSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
		env: ENVIRONMENT,
		encoding: "utf8",
		timeout: ASK_MS,
		stdio: ["ignore", "pipe", "ignore"],
	});
	return stdout?.trim() || undefined;
}

const ASK_MS = 2_000;

/** Without groups: another program ends the process with all that it started, as long as it runs itself. */
function endTree(child: ChildProcess, pid: number): void {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const [program = "", ...args] = PLATFORM.endTree(pid, process.env);
	const end = spawn(program, args, { stdio: "ignore", windowsHide: true });
	end.once("error", () => child.kill("SIGKILL"));
	end.once("exit", () => child.kill("SIGKILL"));
}
