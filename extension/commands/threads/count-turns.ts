import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";

/**
 * How many turns of the conversation there are from this one to the end, without those that were rolled back; a compaction by
 * hand is none of them. 0 when there is no such turn.
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
