import type { AgentReport } from "../../protocol/agent.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { type AgentEnd, describeEnd, NOTHING_CHANGED, withEnd } from "./agent-end.ts";
import { type AgentRun, createSeats, type SeatPorts, type Seats } from "./seats.ts";

/** How many sub-agents of a thread work at once, and how many with theirs. */
export const MAX_RUNNING = 4;
export const MAX_RUNNING_TREE = 8;
/** How many a turn can set to work, counting those that continue, and how many with those that they start. */
export const MAX_STARTED = 16;
export const MAX_STARTED_TREE = 32;
/** How often one can write to its parent while it works. */
export const MAX_MESSAGES = 20;
/** How a sub-agent names the thread that started it. */
export const PARENT = "parent";

/** What all sub-agents share that work for the same turn of the user's thread, however deep. */
export interface AgentTree {
	running: number;
	started: number;
}

export interface CrewPorts extends Pick<SeatPorts, "hasNews" | "setTimer" | "log"> {
	/** Starts a turn of a sub-agent's thread. Rejects if it cannot begin. */
	readonly run: (threadId: ThreadId, text: string) => Promise<AgentRun>;
	/** How the last turn of a thread ended that this host does not run. */
	readonly findEnd: (threadId: ThreadId) => Promise<AgentEnd>;
	/** Makes a change of state durable in the parent's thread, with what its model reads about it. */
	readonly report: (agent: AgentReport, told: string | undefined) => Promise<void>;
	/** Of the thread that this one works for; undefined if the user writes to it. */
	readonly treeAbove: () => AgentTree | undefined;
}

export type Begun = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly reason: string };

/** The sub-agents of one thread: who works, who has ended, and who may begin. */
export interface Crew extends Pick<Seats, "wait" | "wake" | "stopAll"> {
	/** All of them, as last known. */
	readonly list: () => readonly AgentReport[];
	readonly isAnyWorking: () => boolean;
	readonly tree: () => AgentTree;
	/** `create` makes its thread, on whose id everything else depends. */
	readonly start: (agent: NewAgent, task: string, create: () => Promise<ThreadId>) => Promise<Begun>;
	/** To one that works, or as the next task of one that has ended. */
	readonly message: (name: string, text: string) => Promise<Begun>;
	/** A message of one that works to its parent. */
	readonly hear: (name: string, text: string) => Promise<Begun>;
	/** Resolves when its end is durable. */
	readonly stop: (name: string) => Promise<Begun>;
	/** At the start of a turn: knows those of before, and reports those that another host did not live to see end. */
	readonly beginTurn: () => Promise<void>;
}

export type NewAgent = Pick<AgentReport, "name" | "role" | "callId">;

/** `recorded`: those that the thread's model knows when a turn begins, as last recorded. */
export function createCrew(ports: CrewPorts, recorded: () => Iterable<AgentReport>): Crew {
	const agents = new Map<string, AgentReport>();
	const readRecorded = (): void => {
		agents.clear();
		for (const agent of recorded()) agents.set(agent.name, agent);
	};
	readRecorded();
	const own: AgentTree = { running: 0, started: 0 };
	let started = 0;
	const tree = (): AgentTree => ports.treeAbove() ?? own;
	const report = async (agent: AgentReport, told?: string): Promise<void> => {
		agents.set(agent.name, agent);
		await ports.report(agent, told);
	};
	const reportEnd = (agent: AgentReport, end: AgentEnd) => report(withEnd(agent, end), describeEnd(end));
	const seats = createSeats({ ...ports, ended: reportEnd });
	const judge = (): string | undefined => {
		if (seats.taken.size >= MAX_RUNNING)
			return `${MAX_RUNNING} sub-agents work already. Wait until one ends (wait_agents), or stop one.`;
		if (started >= MAX_STARTED) return `This turn has started ${MAX_STARTED} sub-agents, which is the limit.`;
		if (tree().running >= MAX_RUNNING_TREE)
			return `${MAX_RUNNING_TREE} sub-agents work already, with those of other agents. Do it yourself, or try again later.`;
		if (tree().started >= MAX_STARTED_TREE)
			return `All agents of this turn together have started ${MAX_STARTED_TREE} sub-agents, which is the limit.`;
		return undefined;
	};
	const work = async (name: string, begin: () => Promise<readonly [AgentReport, AgentRun]>): Promise<Begun> => {
		const reason = judge();
		if (reason !== undefined) return { ok: false, reason };
		started += 1;
		const counted = tree();
		counted.started += 1;
		counted.running += 1;
		const taken = seats.take(name, begin);
		void seats.taken.get(name)?.done.then(() => {
			counted.running -= 1;
		});
		await taken;
		return { ok: true, name };
	};
	const resume = (agent: AgentReport, text: string): Promise<Begun> =>
		work(agent.name, async () => {
			const { summary: _, changedFiles: __, ...rest } = agent;
			const run = await ports.run(agent.threadId, text);
			const now: AgentReport = { ...rest, state: "running", turnId: run.turnId };
			await report(now);
			return [now, run];
		});
	const crew: Crew = {
		list: () => [...agents.values()],
		isAnyWorking: () => seats.taken.size > 0,
		tree,
		async start(agent, task, create) {
			const { name } = agent;
			if (name === PARENT) return { ok: false, reason: `"${PARENT}" is not a name for a sub-agent.` };
			if (agents.has(name) || seats.taken.has(name))
				return { ok: false, reason: `There is a sub-agent ${name} already. Write to it, or choose another name.` };
			return work(name, async () => {
				const now: AgentReport = { ...agent, threadId: await create(), state: "running" };
				await report(now);
				const run = await ports.run(now.threadId, task).catch(async (error: unknown) => {
					await report(withEnd(now, { state: "failed", text: asText(error), changed: NOTHING_CHANGED }));
					throw error;
				});
				return [now, run];
			});
		},
		async message(name, text) {
			const agent = agents.get(name);
			if (agent === undefined) return unknown(name);
			const seat = seats.taken.get(name);
			await seat?.begun;
			if (await seat?.run()?.steer(text)) return { ok: true, name };
			// It has just ended.
			await seat?.done;
			return seats.taken.has(name) ? crew.message(name, text) : resume(agents.get(name) ?? agent, text);
		},
		async hear(name, text) {
			const [agent, seat] = [agents.get(name), seats.taken.get(name)];
			if (agent === undefined || seat === undefined)
				return { ok: false, reason: "Your parent does not wait for messages now. Say it in your last message." };
			if (seat.messages >= MAX_MESSAGES)
				return { ok: false, reason: `You have sent ${MAX_MESSAGES} messages. Say the rest in your last one.` };
			seat.messages += 1;
			await ports.report(agent, text);
			seats.wake();
			return { ok: true, name };
		},
		async stop(name) {
			if (!agents.has(name)) return unknown(name);
			const seat = seats.taken.get(name);
			if (seat === undefined) return { ok: false, reason: `${name} does not work.` };
			seat.stop();
			await seat.done;
			return { ok: true, name };
		},
		async beginTurn() {
			started = 0;
			if (ports.treeAbove() === undefined) own.started = 0;
			readRecorded();
			for (const agent of [...agents.values()]) {
				if (agent.state !== "running" || seats.taken.has(agent.name)) continue;
				await reportEnd(agent, await ports.findEnd(agent.threadId));
			}
		},
		wait: seats.wait,
		wake: seats.wake,
		stopAll: seats.stopAll,
	};
	return crew;
}

function unknown(name: string): Begun {
	return { ok: false, reason: `There is no sub-agent ${name}.` };
}

export function asText(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
