import type { AgentOrigin } from "../../agent-host/protocol/agent.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";

/** A request of the host that waits for the user; `agent` if a sub-agent asks. */
interface Asking {
	readonly threadId: ThreadId;
	readonly agent?: AgentOrigin | undefined;
}

/** Which threads sub-agents work for, as far as this window has seen them start. */
export interface AgentTree {
	/** Returns whether the event said something about a sub-agent. */
	readonly note: (threadId: ThreadId, event: ThreadEvent) => boolean;
	/** Whether a sub-agent works in this thread. */
	readonly isAgent: (threadId: ThreadId) => boolean;
	/** Whether a sub-agent of this thread asks, or a sub-agent of one of those. */
	readonly isBelow: (request: Asking, threadId: ThreadId | undefined) => boolean;
}

export function createAgentTree(): AgentTree {
	const parents = new Map<ThreadId, ThreadId>();
	return {
		note(threadId, event) {
			if (event.type !== "agentChanged") return false;
			parents.set(event.agent.threadId, threadId);
			return true;
		},
		isAgent: (threadId) => parents.has(threadId),
		isBelow({ agent }, threadId) {
			const seen = new Set<ThreadId>();
			for (let above = agent?.parent; above !== undefined && !seen.has(above); above = parents.get(above)) {
				if (above === threadId) return true;
				seen.add(above);
			}
			return false;
		},
	};
}
