import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";

/**
 * Counts the turns from this one to the end, without rolled-back turns and manual compactions. 0 if there is no such
 * turn.
 */
export function countTurnsFrom(events: readonly PublishedEvent[], turnId: string): number {
	const started: string[] = [];
	const gone = new Set<string>();
	for (const { event } of events) {
		if (event.type === "turnStarted" && event.purpose !== "compaction") started.push(event.turnId);
		if (event.type === "rolledBack") for (const turn of event.turnIds) gone.add(turn);
		if (event.type !== "rollbackUndone") continue;
		for (const turn of event.turnIds) gone.delete(turn);
		for (const turn of event.gone) gone.add(turn);
	}
	const turns = started.filter((turn) => !gone.has(turn));
	return turns.includes(turnId) ? turns.length - turns.indexOf(turnId) : 0;
}
