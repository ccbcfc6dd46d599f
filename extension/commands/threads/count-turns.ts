import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";

/**
 * Counts the turns from this one to the end, without rolled-back turns and manual compactions. 0 if there is no such
 * turn.
 */
export function countTurnsFrom(events: readonly PublishedEvent[], turnId: string): number {
	const standing = new Set<string>();
	for (const { event } of events) {
		if (event.type === "turnStarted" && event.purpose !== "compaction") standing.add(event.turnId);
		if (event.type === "rolledBack") for (const gone of event.turnIds) standing.delete(gone);
	}
	const turns = [...standing];
	return turns.includes(turnId) ? turns.length - turns.indexOf(turnId) : 0;
}
