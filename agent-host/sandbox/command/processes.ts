import type { Policy } from "../../permissions/policy/policy.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { BackgroundProcess, CommandReport, Held } from "../../tools/command-call.ts";
import type { CommandRequest, RunningCommand, Sandbox, StartOptions } from "../backend.ts";
import {
	isWithinRights,
	measureAge,
	refuse,
	refuseUnknown,
	reportEnd,
	reportRunning,
	type Started,
	waitForEnd,
} from "./started-command.ts";
import { createTimeLimit } from "./time-limit.ts";

/** Limit for concurrent background commands of one host. */
export const MAX_BACKGROUND = 16;
/** Default time limit of a background command. */
export const BACKGROUND_MS = 3_600_000;

export interface RunOptions {
	readonly timeoutMs: number | undefined;
	readonly yieldMs: number | undefined;
	/** The containment of the command, for its reports. */
	readonly held: Held;
	/** The request and its policy, for deciding about later input. */
	readonly process?: BackgroundProcess;
	readonly onOutput?: (text: string) => void;
	readonly before?: StartOptions["before"];
}

/** The commands of a host: those that run to their end, and background commands. All end with the host. */
export interface Processes {
	/**
	 * `owner` is the thread: no other thread can read, write to or stop its commands. The signal stops a command also
	 * later.
	 */
	readonly run: (
		owner: string,
		request: CommandRequest,
		options: RunOptions,
		signal: AbortSignal,
	) => Promise<CommandReport>;
	/** Writes to a background command, waits for its end or until the time is up, and returns its new output. */
	readonly write: (
		owner: string,
		input: { readonly processId: string; readonly text: string; readonly waitMs: number },
		signal: AbortSignal,
	) => Promise<CommandReport>;
	readonly stop: (owner: string, processId: string) => Promise<CommandReport>;
	readonly find: (owner: string, processId: string) => BackgroundProcess | undefined;
	/**
	 * Ends a thread's background commands that have more rights than a policy grants, and all of them if it allows none
	 * or is absent. Resolves with them when they are gone.
	 */
	readonly endBeyond: (owner: string, policy: Policy | undefined) => Promise<readonly EndedCommand[]>;
	/** The threads with running commands. */
	readonly owners: () => readonly string[];
	/** The background commands of all threads. */
	readonly list: () => readonly BackgroundCommand[];
	/** The end of a command's output, at most so many characters; does not affect what `write` returns. */
	readonly tail: (owner: string, processId: string, chars: number) => { text: string; running: boolean } | undefined;
	/**
	 * Moves a command that its turn waits for to the background, where it gets the time of background commands. Returns
	 * whether there was one, and why it may not go there.
	 */
	readonly moveToBackground: (owner: string, callId: string) => { readonly moved: boolean; readonly reason?: string };
	/** Ends one for the user: the thread sees its end when it asks next. Returns whether there was one. */
	readonly end: (owner: string, processId: string) => Promise<boolean>;
	/** Ends all of them. */
	readonly close: () => Promise<void>;
}

/** A background command, for display. */
export interface BackgroundCommand {
	readonly owner: string;
	readonly processId: string;
	readonly argv: readonly string[];
	/** Milliseconds since its start. */
	readonly ms: number;
	readonly outputBytes: number;
	readonly held: Held;
}

/** A command that was ended because of its rights. */
export interface EndedCommand extends Pick<BackgroundCommand, "processId" | "argv"> {
	/** The turn that started it. */
	readonly turnId: TurnId | undefined;
}

const FULL = `${MAX_BACKGROUND} commands are already running in the background.`;
const MOVED = "The user moved it to the background; do not wait for it unless you need its result.";

/** `changed` is called when a command goes to the background, and when such a command ends. */
export function createProcesses(sandbox: Pick<Sandbox, "start">, changed: () => void = () => undefined): Processes {
	const running = new Map<RunningCommand, Started>();
	const background = new Map<string, Started>();
	let reserved = 0;
	let last = 0;
	const start = async (owner: string, request: CommandRequest, options: RunOptions, signal: AbortSignal) => {
		const { limits } = request.policy;
		const isOpen = options.yieldMs !== undefined;
		const timeoutMs = options.timeoutMs ?? (isOpen ? BACKGROUND_MS : limits.timeoutMs);
		const timeLimit = createTimeLimit(timeoutMs);
		const { askHost } = request;
		// Time for an approval of a host does not count.
		const ask: typeof askHost = askHost && ((asked, over) => timeLimit.pauseFor(() => askHost(asked, over)));
		const command = await sandbox.start(
			{ ...request, owner, ...(ask && { askHost: ask }) },
			{
				limits: { outputBytes: limits.outputBytes, timeoutMs },
				timeLimit,
				streams: "kept",
				input: isOpen ? "open" : "closed",
				...(options.onOutput === undefined ? {} : { onOutput: options.onOutput }),
				before: options.before,
			},
		);
		if (command.state === "refused") return command;
		const { argv } = request;
		const { held, process } = options;
		const moved = Promise.withResolvers<undefined>();
		const started: Started = { owner, argv, command, began: performance.now(), held, process, moved, timeLimit };
		running.set(command, started);
		const stop = (): void => command.stop();
		if (signal.aborted) stop();
		signal.addEventListener("abort", stop, { once: true });
		void command.ended.finally(() => {
			running.delete(command);
			signal.removeEventListener("abort", stop);
		});
		return started;
	};
	const find = (owner: string, processId: string): Started | undefined => {
		const found = background.get(processId);
		return found?.owner === owner ? found : undefined;
	};
	const stillRunning = () => [...background].filter(([, { command }]) => running.has(command));
	const isFull = (): boolean => stillRunning().length + reserved >= MAX_BACKGROUND;
	const addToBackground = (started: Started): string => {
		const processId = `p${++last}`;
		background.set(processId, started);
		return processId;
	};
	const announce = ({ command }: Started): void => {
		changed();
		void command.ended.finally(changed);
	};
	/** What the model reads of a command that the user moved. */
	const continueInBackground = async (started: Started): Promise<CommandReport> => {
		started.timeLimit.extend(BACKGROUND_MS);
		const report = await reportRunning(addToBackground(started), started);
		announce(started);
		return { ...report, notes: [MOVED, ...report.notes] };
	};
	/** Drops ended commands that were never asked about again. */
	const forgetOldest = (): void => {
		const over = [...background].filter(([, { command }]) => !running.has(command)).slice(0, -MAX_BACKGROUND);
		for (const [processId] of over) background.delete(processId);
	};
	return {
		run: async (owner, request, options, signal) => {
			signal.throwIfAborted();
			const { yieldMs } = options;
			if (yieldMs === undefined) {
				const started = await start(owner, request, options, signal);
				if ("state" in started) return started;
				const ended = await Promise.race([started.command.ended, started.moved.promise]);
				return ended === undefined ? continueInBackground(started) : reportEnd(ended, started, "whole");
			}
			forgetOldest();
			if (isFull()) return refuse(`${FULL} Stop one with stop_command.`);
			reserved += 1;
			const started = await start(owner, request, options, signal).finally(() => (reserved -= 1));
			if ("state" in started) return started;
			const processId = addToBackground(started);
			const began = await readOn(processId, started, yieldMs, signal, "stops");
			if (began.state === "running") announce(started);
			return began;
		},
		moveToBackground: (owner, callId) => {
			const known = new Set(background.values());
			const waiting = [...running.values()].find(
				(started) => started.owner === owner && started.process?.call.callId === callId && !known.has(started),
			);
			forgetOldest();
			if (waiting === undefined) return { moved: false };
			if (isFull()) return { moved: false, reason: FULL };
			waiting.moved.resolve(undefined);
			return { moved: true };
		},
		write: async (owner, { processId, text, waitMs }, signal) => {
			const found = find(owner, processId);
			if (found === undefined) return refuseUnknown(processId);
			if (text !== "") found.command.write(text);
			return readOn(processId, found, waitMs, signal, "continues");
		},
		find: (owner, processId) => {
			const found = find(owner, processId);
			return found !== undefined && running.has(found.command) ? found.process : undefined;
		},
		owners: () => [...new Set([...running.values()].map(({ owner }) => owner))],
		endBeyond: async (owner, policy) => {
			const names = new Map([...background].map(([processId, { command }]) => [command, processId]));
			const beyond = [...running.values()].filter(
				(started) =>
					started.owner === owner &&
					(!policy?.commands || (names.has(started.command) && !isWithinRights(started, policy))),
			);
			for (const { command } of beyond) command.stop();
			await Promise.all(beyond.map(({ command }) => command.ended));
			return beyond.map(({ command, argv, process }) => {
				return { processId: names.get(command) ?? "", argv, turnId: process?.turnId };
			});
		},
		stop: async (owner, processId) => {
			const found = find(owner, processId);
			if (found === undefined) return refuseUnknown(processId);
			found.command.stop();
			background.delete(processId);
			return reportEnd(await found.command.ended, found, "new");
		},
		list: () =>
			stillRunning().map(([processId, started]) => {
				const { owner, argv, held, command } = started;
				return { owner, processId, argv, ms: measureAge(started), outputBytes: command.bytes(), held };
			}),
		tail: (owner, processId, chars) => {
			const found = find(owner, processId);
			return found && { text: found.command.read().slice(-chars), running: running.has(found.command) };
		},
		end: async (owner, processId) => {
			const found = find(owner, processId);
			if (found === undefined || !running.has(found.command)) return false;
			found.command.stop();
			await found.command.ended;
			return true;
		},
		close: async () => {
			const all = [...running.keys()];
			for (const command of all) command.stop();
			await Promise.all(all.map(({ ended }) => ended));
		},
	};

	async function readOn(
		processId: string,
		started: Started,
		waitMs: number,
		signal: AbortSignal,
		/** What an interrupted turn does to the command: one that it started ends before the turn. */
		atAbort: "stops" | "continues",
	): Promise<CommandReport> {
		const first = await waitForEnd(started.command.ended, waitMs, signal);
		const ended = first ?? (atAbort === "stops" && signal.aborted ? await started.command.ended : undefined);
		if (ended === undefined) return reportRunning(processId, started);
		background.delete(processId);
		return reportEnd(ended, started, "new");
	}
}
