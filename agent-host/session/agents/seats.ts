import type { AgentReport } from "../../protocol/agent.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { AgentEnd } from "./agent-end.ts";

/** How long a sub-agent works on one task, unless the user has said. */
const MAX_MINUTES = 30;
const MINUTE_MS = 60_000;

/** A sub-agent at work. `ended` never rejects. */
export interface AgentRun {
	/** The user's limit for one task. */
	readonly minutes?: number | undefined;
	readonly turnId: TurnId;
	readonly ended: Promise<AgentEnd>;
	readonly stop: () => void;
	/** Adds a message to the running turn; false if it is over. Rejects a message that the turn cannot take. */
	readonly steer: (text: string) => Promise<boolean>;
}

/** One at work, from before its thread exists until its end is durable. */
export interface Seat {
	readonly run: () => AgentRun | undefined;
	/** Resolves when it works, or will not. */
	readonly begun: Promise<void>;
	/** Resolves when its end is durable. */
	readonly done: Promise<void>;
	readonly stop: () => void;
	/** How often it has written to its parent. */
	messages: number;
}

export interface SeatPorts {
	/** Makes an end durable, and tells the parent's model. */
	readonly ended: (agent: AgentReport, end: AgentEnd) => Promise<void>;
	/** Whether the parent's model has something to read. */
	readonly hasNews: () => boolean;
	readonly setTimer: (ms: number, work: () => void) => () => void;
	readonly log: (message: string) => void;
}

/** The sub-agents of one thread that work now, by name. */
export interface Seats {
	readonly taken: ReadonlyMap<string, Seat>;
	/** Takes a seat at once, so that calls side by side do not pass a limit. Rejects if it cannot begin. */
	readonly take: (name: string, begin: () => Promise<readonly [AgentReport, AgentRun]>) => Promise<void>;
	/** Resolves when there is news, when none works, when the signal aborts, or after `ms`. */
	readonly wait: (signal: AbortSignal, ms?: number) => Promise<void>;
	/** Looks again whether there is news. */
	readonly wake: () => void;
	/** Resolves when every end is durable. */
	readonly stopAll: () => Promise<void>;
}

export function createSeats(ports: SeatPorts): Seats {
	const taken = new Map<string, Seat>();
	let news = Promise.withResolvers<void>();
	const wake = (): void => {
		news.resolve();
		news = Promise.withResolvers();
	};
	return {
		taken,
		wake,
		async take(name, begin) {
			const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
			let run: AgentRun | undefined;
			let isStopped = false;
			const stop = (): void => {
				isStopped = true;
				run?.stop();
			};
			taken.set(name, { run: () => run, begun: begun.promise, done: done.promise, stop, messages: 0 });
			const leave = (): void => {
				taken.delete(name);
				begun.resolve();
				done.resolve();
				wake();
			};
			try {
				const [agent, working] = await begin();
				run = working;
				begun.resolve();
				if (isStopped) working.stop();
				void followToEnd(agent, working, ports).finally(leave);
			} catch (error) {
				leave();
				throw error;
			}
		},
		async wait(signal, ms) {
			let isOver = false;
			const giveUp = (): void => {
				isOver = true;
				wake();
			};
			const cancel = ms === undefined ? () => undefined : ports.setTimer(ms, giveUp);
			signal.addEventListener("abort", wake);
			try {
				while (!isOver && !signal.aborted && taken.size > 0 && !ports.hasNews()) await news.promise;
			} finally {
				cancel();
				signal.removeEventListener("abort", wake);
			}
		},
		async stopAll() {
			const all = [...taken.values()];
			for (const seat of all) seat.stop();
			await Promise.all(all.map(({ done }) => done));
		},
	};
}

async function followToEnd(agent: AgentReport, run: AgentRun, ports: SeatPorts): Promise<void> {
	const { minutes = MAX_MINUTES } = run;
	let isLate = false;
	const cancel = ports.setTimer(minutes * MINUTE_MS, () => {
		isLate = true;
		run.stop();
	});
	const end = await run.ended;
	cancel();
	const told = isLate
		? { ...end, text: `It was stopped after ${minutes} minutes, the limit for a sub-agent. ${end.text}` }
		: end;
	await ports
		.ended(agent, told)
		.catch((error: unknown) => ports.log(`The end of agent ${agent.name} could not be recorded: ${error}`));
}
