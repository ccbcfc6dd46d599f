import type { PublishedEvent } from "../../agent-host/protocol/events.ts";

/** How many turns there are from this one to the end, without those that were rolled back. 0 when it is one of these. */
export function turnsFrom(events: readonly PublishedEvent[], turnId: string): number {
	const standing = new Set<string>();
	for (const { event } of events) {
		if (event.type === "turnStarted") standing.add(event.turnId);
		if (event.type === "rolledBack") for (const gone of event.turnIds) standing.delete(gone);
	}
	const turns = [...standing];
	return turns.includes(turnId) ? turns.length - turns.indexOf(turnId) : 0;
}
