import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { PublishedEvent } from "../protocol/thread/events.ts";
import { addDeed, addToOutcome, beginOutcome, type TurnOutcome } from "./turn-outcome.ts";

type Hear = (event: PublishedEvent) => void;

/** Follows what a session publishes, for surfaces that answer a request with the outcome of a turn. */
export interface TurnWatch {
	readonly publish: (threadId: ThreadId, event: PublishedEvent) => void;
	/** Hears every event of a thread from now on; the function that it returns ends that. */
	readonly follow: (threadId: ThreadId, hear: Hear) => () => void;
	/** The newest turn of a thread that this process has run. */
	readonly newest: (threadId: ThreadId) => TurnOutcome | undefined;
	/** Resolves when this turn, one of the last of its thread, has ended. */
	readonly ended: (threadId: ThreadId, turnId: TurnId) => Promise<TurnOutcome>;
	/** The thread that a caller knows: for a sub-agent's, the one that the task was given to. */
	readonly rootOf: (threadId: ThreadId) => ThreadId;
}

/** How many turns of a thread are known: a call may still wait for one that others have followed. */
const MAX_TURNS = 8;

export function createTurnWatch(): TurnWatch {
	/** The last turns of each thread, the newest one first. */
	const turns = new Map<ThreadId, readonly TurnOutcome[]>();
	const listeners = new Map<ThreadId, Set<Hear>>();
	/** By the thread of a sub-agent. A thread is known before it starts any itself. */
	const roots = new Map<ThreadId, ThreadId>();
	const rootOf = (threadId: ThreadId): ThreadId => roots.get(threadId) ?? threadId;
	const follow: TurnWatch["follow"] = (threadId, hear) => {
		const all = listeners.get(threadId) ?? new Set();
		listeners.set(threadId, all.add(hear));
		return () => {
			all.delete(hear);
			if (all.size === 0) listeners.delete(threadId);
		};
	};
	return {
		publish(threadId, published) {
			const { event } = published;
			if (event.type === "agentChanged") roots.set(event.agent.threadId, rootOf(threadId));
			const known = turns.get(threadId) ?? [];
			const begun = event.type === "turnStarted" ? [beginOutcome(threadId, event.turnId), ...known] : known;
			const [newest, ...older] = begun.slice(0, MAX_TURNS);
			if (newest !== undefined) turns.set(threadId, [addToOutcome(newest, event), ...older]);
			const [task, ...before] = turns.get(rootOf(threadId)) ?? [];
			if (roots.has(threadId) && task !== undefined) turns.set(rootOf(threadId), [addDeed(task, event), ...before]);
			for (const hear of [...(listeners.get(threadId) ?? [])]) hear(published);
		},
		follow,
		rootOf,
		newest: (threadId) => turns.get(threadId)?.[0],
		ended: (threadId, turnId) =>
			new Promise((resolve) => {
				const look = (): boolean => {
					const outcome = turns.get(threadId)?.find((turn) => turn.turnId === turnId);
					if (outcome === undefined || outcome.status === "running") return false;
					resolve(outcome);
					return true;
				};
				if (look()) return;
				const stop = follow(threadId, () => {
					if (look()) stop();
				});
			}),
	};
}
