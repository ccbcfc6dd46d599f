import type { AgentReport } from "../../protocol/agent.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId, TurnId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { Touch, TurnStart } from "../../store/records/thread-state.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import { whileIdle } from "../thread/while-idle.ts";
import type { ReviewPorts } from "./review-ports.ts";

/** A thread from one of its turns on. */
export interface ThreadSince {
	readonly thread: LiveThread;
	readonly turns: readonly TurnStart[];
}

/** The sub-agents that have worked since a turn, with theirs. */
export interface AgentsSince {
	readonly found: readonly ThreadSince[];
	/** The names of those whose changes are not known, or are in the hands of another window. */
	readonly left: readonly string[];
}

/**
 * Does something with the sub-agents that have worked in turns of a thread while none of them has a turn. They are held
 * one by one as they are found, since a thread that nobody holds may be closed.
 */
export async function withAgents<T>(
	since: ThreadSince,
	open: ReviewPorts["open"],
	work: (agents: AgentsSince) => Promise<T>,
): Promise<T> {
	const visit = async (waiting: readonly Waiting[], known: AgentsSince): Promise<T> => {
		const [next, ...rest] = waiting;
		if (next === undefined) return work(known);
		const { name, mayHaveChanged } = next.agent;
		const own = await openOwn(next, open);
		const waitingThen = own === undefined ? rest : [...rest, ...(await listWaiting(own))];
		if (own === undefined || own.thread.refusal !== undefined) {
			return visit(waitingThen, mayHaveChanged ? { ...known, left: [...known.left, name] } : known);
		}
		return whileIdle(
			own.thread,
			() => visit(waitingThen, { ...known, found: [...known.found, own] }),
			() => new HostError("turn-in-progress", say("agent-runs-before-back", { agent: name })),
		);
	};
	return visit(await listWaiting(since), { found: [], left: [] });
}

/** The file changes in the turns. */
export function listTouches({ thread, turns }: ThreadSince): readonly Touch[] {
	return turns[0] === undefined ? [] : thread.state().touches.slice(turns[0].at);
}

/** The thread from this turn on; undefined if it has no such turn. */
export function findSince(thread: LiveThread, turnId: TurnId): ThreadSince | undefined {
	const { touchStarts } = thread.state();
	const first = touchStarts.findIndex((one) => one.turnId === turnId);
	return first < 0 ? undefined : { thread, turns: touchStarts.slice(first) };
}

/** What is recorded about a sub-agent, with the turn of its parent. */
export interface ReportedAgent {
	readonly turnId: TurnId;
	readonly agent: AgentReport;
}

export interface WorkingAgent {
	readonly name: string;
	readonly threadId: ThreadId;
	/** The first turn of its thread that counts, or all of them; undefined if that was not recorded. */
	readonly since: TurnId | "all" | undefined;
	readonly mayHaveChanged: boolean;
}

/** The sub-agents that began, or went on, in one of these turns. */
export function listWorking(reports: readonly ReportedAgent[], turns: ReadonlySet<TurnId>): readonly WorkingAgent[] {
	return [...Map.groupBy(reports, ({ agent }) => agent.threadId)].flatMap(([threadId, all]) => {
		const first = all.findIndex(({ turnId, agent }) => agent.state === "running" && turns.has(turnId));
		const [begun, ...later] = first < 0 ? [] : all.slice(first).map(({ agent }) => agent);
		if (begun === undefined) return [];
		// One whose end is not recorded may have changed anything.
		const mayHaveChanged =
			(later.at(-1) ?? begun).state === "running" || later.some(({ changedFiles }) => changedFiles !== undefined);
		return [{ name: begun.name, threadId, since: first === 0 ? "all" : begun.turnId, mayHaveChanged }];
	});
}

interface Waiting {
	readonly parent: ThreadId;
	readonly agent: WorkingAgent;
}

async function listWaiting({ thread, turns }: ThreadSince): Promise<readonly Waiting[]> {
	const { threadId, agents } = thread.state();
	if (agents.size === 0) return [];
	const events = await thread.events.read({ after: 0, limit: thread.events.last() });
	const reports = events.flatMap(({ event }) => (event.type === "agentChanged" ? [event] : []));
	const working = listWorking(reports, new Set(turns.map(({ turnId }) => turnId)));
	return working.map((agent) => ({ parent: threadId, agent }));
}

/** Undefined if it is gone, or its own records do not say that it works for this parent. */
async function openOwn({ parent, agent }: Waiting, open: ReviewPorts["open"]): Promise<ThreadSince | undefined> {
	const thread = await open(agent.threadId).catch(() => undefined);
	if (thread === undefined || thread.state().agent?.parent !== parent || agent.since === undefined) return undefined;
	return agent.since === "all" ? { thread, turns: thread.state().touchStarts } : findSince(thread, agent.since);
}
