import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { RefusedHost } from "../../network/host-rules.ts";
import type { ProcessBound } from "../../protocol/thread/item.ts";
import type { CommandEnd, Refusal, RunningCommand, StartOptions, StoppedBy } from "../backend.ts";
import type { ContainedProcess } from "../launch.ts";
import type { Guard } from "../protect/guard.ts";
import { createOutput, type Output } from "./command-output.ts";
import { createTimeLimit } from "./time-limit.ts";
import { createUpdates } from "./updates.ts";
import { fileSentence, type Watch } from "./watch-limits.ts";

/** Bubblewrap is gone, and with it every process that could still write. */
const DRAIN_MS = 2_000;

/** The host's ends of the command's streams, and what tells how it ended. */
export interface CommandStreams {
	readonly streams: readonly (Readable | null)[];
	/** The standard output, if it is not collected. */
	readonly data?: Readable | null | undefined;
	readonly input: Writable | undefined;
	/** Its exit code, asked for after its end; undefined if it was never started. */
	readonly exitCode: () => number | undefined;
	readonly refusedHosts: () => readonly RefusedHost[];
	readonly bound: ProcessBound;
	/** Ends the command with everything it started. */
	readonly kill: () => void;
	readonly watchProtection?: Watch;
	readonly watchLimits?: Watch;
	/** The kernel's limit for one file that it writes; 0 means none. */
	readonly fileBytes?: number;
}

/** The streams of a process that created them itself: which of them are collected, and which is not. */
export function ownStreams(
	{ stdout, stderr }: ContainedProcess,
	{ streams }: StartOptions,
): Pick<CommandStreams, "streams" | "data"> {
	return streams === "split" ? { streams: [stderr], data: stdout } : { streams: [stdout, stderr] };
}

/** Collects a command's output, stops it in time, and reports its end when no process is left. */
export function watchCommand(
	child: ContainedProcess,
	ends: CommandStreams,
	options: StartOptions,
	guard: Pick<Guard, "check" | "finish">,
): RunningCommand {
	const output = createOutput(options.limits.outputBytes);
	let fresh = createOutput(options.limits.outputBytes);
	const updates = createUpdates(options.onOutput);
	let stopped: StoppedBy | undefined;
	/** After the end its process id and files may be reused, so it must not be stopped any more. */
	let isOver = false;
	const reasons: string[] = [];
	const stop = (by: StoppedBy): void => {
		if (stopped !== undefined || isOver) return;
		stopped = by;
		ends.kill();
	};
	const limit = options.timeLimit ?? createTimeLimit(options.limits.timeoutMs);
	limit.start(() => stop("time"));
	const endFor = (by: StoppedBy) => (sentence: string) => {
		reasons.push(sentence);
		stop(by);
	};
	const watches = [
		ends.watchProtection?.(child.pid ?? 0, endFor("protection")),
		ends.watchLimits?.(child.pid ?? 0, endFor("limit")),
	];
	for (const stream of ends.streams) {
		stream?.on("data", (chunk: Buffer) => {
			output.push(chunk);
			fresh.push(chunk);
			updates.push(chunk);
		});
	}
	ends.data?.on("data", (chunk: Buffer) => options.onData?.(chunk));
	// Another process may end bubblewrap, also this early.
	child.once("exit", (_, signal) => {
		if (signal !== null) ends.kill();
	});
	// The command may end without reading its input.
	ends.input?.on("error", () => undefined);
	const ended = waitUntilOver(child, [...ends.streams, ends.data ?? null]).then(
		async (failure): Promise<CommandEnd> => {
			isOver = true;
			limit.end();
			for (const unwatch of watches) unwatch?.();
			updates.flush();
			ends.input?.destroy();
			const exitCode = ends.exitCode();
			const notes = [...reasons, ...(await guard.finish())];
			const facts = { notes, refusedHosts: ends.refusedHosts(), bound: ends.bound };
			if (stopped !== undefined) return { state: "stopped", by: stopped, output: output.read(), ...facts };
			if (exitCode === undefined) return notStarted(failure, output);
			const signal = exitCode > 128 ? SIGNALS.get(exitCode - 128) : undefined;
			const how = { exitCode, ...(signal === undefined ? {} : { signal }) };
			const text = output.read();
			const isFileRefused = (ends.fileBytes ?? 0) > 0 && exitCode !== 0 && isTooLarge(signal, text.text);
			const refused = isFileRefused ? [fileSentence(ends.fileBytes ?? 0)] : [];
			return { state: "ended", ...how, output: text, ...facts, notes: [...refused, ...notes] };
		},
	);
	const write = (text: string): boolean => {
		ends.input?.write(text);
		return ends.input !== undefined;
	};
	const endInput = (): void => {
		ends.input?.end();
	};
	const takeNew = (): string => {
		const { text } = fresh.read();
		fresh = createOutput(options.limits.outputBytes);
		return text;
	};
	const { refusedHosts, bound } = ends;
	const read = (): string => output.read().text;
	const bytes = (): number => output.bytes();
	const { check } = guard;
	const facts = { takeNew, read, bytes, refusedHosts, bound, check };
	return { state: "running", ended, ...facts, write, endInput, stop: () => stop("user") };
}

/** Resolves when the process has ended and its streams have been read to the end. */
async function waitUntilOver(
	child: ContainedProcess,
	streams: readonly (Readable | null)[],
): Promise<Error | undefined> {
	const drained = Promise.all(
		streams.map((stream) => new Promise((resolve) => (stream === null ? resolve(null) : stream.on("close", resolve)))),
	);
	const failure = await new Promise<Error | undefined>((resolve) => {
		child.on("error", resolve);
		child.on("exit", () => resolve(undefined));
	});
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise((resolve) => {
		timer = setTimeout(resolve, failure === undefined ? DRAIN_MS : 0);
	});
	await Promise.race([drained, late]);
	clearTimeout(timer);
	for (const stream of streams) stream?.destroy();
	return failure;
}

/** The code of a process that is the command: its own, or 128 and the signal that ended it. */
export function findExitCode({ exitCode, signalCode }: ContainedProcess): number | undefined {
	if (signalCode !== null) return 128 + constants.signals[signalCode];
	// Node reports a program that could not be started with a negative code.
	return exitCode === null || exitCode < 0 ? undefined : exitCode;
}

function notStarted(failure: Error | undefined, output: Output): Refusal {
	const said = (failure?.message ?? output.read().text).trim().slice(0, 500);
	const program = /^bwrap: execvp (.+)$/s.exec(said)?.[1];
	if (program !== undefined)
		return { state: "refused", code: "no-such-program", reason: `The program could not be started: ${program}.` };
	return {
		state: "refused",
		code: "sandbox-unavailable",
		reason: `The sandbox could not be set up, so the command did not run${said === "" ? "." : `: ${said}`}`,
	};
}

/**
 * The kernel kills a process that keeps writing, or returns an error to one that handles the signal: this is a guess,
 * which only adds a sentence.
 */
function isTooLarge(signal: string | undefined, output: string): boolean {
	return signal === "SIGXFSZ" || /File size limit exceeded|File too large|EFBIG/.test(output.slice(-LOOKED_AT_CHARS));
}

const LOOKED_AT_CHARS = 16_384;

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
