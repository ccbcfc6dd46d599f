import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { PublishedEvent } from "../protocol/thread/events.ts";
import { addToOutcome, beginOutcome, type TurnOutcome } from "./turn-outcome.ts";

type Hear = (event: PublishedEvent) => void;

/** Follows what a session publishes, for surfaces that answer a request with the outcome of a turn. */
export interface TurnWatch {
	readonly publish: (threadId: ThreadId, event: PublishedEvent) => void;
	/** Hears every event of a thread from now on; the function that it returns ends that. */
	readonly follow: (threadId: ThreadId, hear: Hear) => () => void;
	/** The newest turn of a thread that this process has run. */
	readonly newest: (threadId: ThreadId) => TurnOutcome | undefined;
	/** Resolves when the newest turn, which must be this one, has ended. */
	readonly ended: (threadId: ThreadId, turnId: TurnId) => Promise<TurnOutcome>;
}

export function createTurnWatch(): TurnWatch {
	const newest = new Map<ThreadId, TurnOutcome>();
	const listeners = new Map<ThreadId, Set<Hear>>();
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
			if (event.type === "turnStarted") newest.set(threadId, beginOutcome(threadId, event.turnId));
			const known = newest.get(threadId);
			if (known !== undefined) newest.set(threadId, addToOutcome(known, event));
			for (const hear of [...(listeners.get(threadId) ?? [])]) hear(published);
		},
		follow,
		newest: (threadId) => newest.get(threadId),
		ended: (threadId, turnId) =>
			new Promise((resolve) => {
				const look = (): boolean => {
					const outcome = newest.get(threadId);
					if (outcome?.turnId !== turnId || outcome.status === "running") return false;
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
