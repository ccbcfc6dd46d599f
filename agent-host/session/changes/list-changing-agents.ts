import type { AgentReport } from "../../protocol/agent.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { LiveThread } from "../thread/live-thread.ts";

/** The sub-agents that have changed files since the beginning of a turn, each as it was last reported. */
export async function listChangingAgents(thread: LiveThread, turnId: TurnId): Promise<readonly AgentReport[]> {
	const { touchStarts, agents } = thread.state();
	if (agents.size === 0) return [];
	const turns = new Set(
		touchStarts.slice(touchStarts.findIndex((one) => one.turnId === turnId)).map((one) => one.turnId),
	);
	const events = await thread.events.read({ after: 0, limit: thread.events.last() });
	const changing = events.flatMap(({ event }) =>
		event.type === "agentChanged" && turns.has(event.turnId) && event.agent.changedFiles !== undefined
			? [event.agent]
			: [],
	);
	return [...new Map(changing.map((agent) => [agent.threadId, agent])).values()];
}
