import type { PublishedEvent } from "../../protocol/thread/events.ts";
import { GoalClaim, REPORT_GOAL } from "../../protocol/thread/goal.ts";
import { type CallItem, isCall } from "../../protocol/thread/item.ts";
import type { EndedTurn } from "./judge-goal.ts";

export type EndedTurnOf = EndedTurn & { readonly turnId: string };

/** How the newest turn of a thread ended, from its last events; undefined if it is none that a goal is judged by. */
export function readEndedTurn(events: readonly PublishedEvent[]): EndedTurnOf | undefined {
	const last = events.findLast(({ event }) => event.type === "turnCompleted")?.event;
	if (last?.type !== "turnCompleted") return undefined;
	const { turnId, status, error, spent } = last;
	const mine = events.flatMap(({ event }) => ("turnId" in event && event.turnId === turnId ? [event] : []));
	const started = mine.find((event) => event.type === "turnStarted");
	if (started?.type === "turnStarted" && started.purpose === "compaction") return undefined;
	const calls = mine.flatMap((event) => (event.type === "itemCompleted" && isCall(event.item) ? [event.item] : []));
	const check = calls.findLast((call) => call.by === "user");
	const ended = { turnId, status, error, spent: spent?.turn };
	if (check !== undefined) return { ...ended, kind: "check", exitCode: check.command?.exitCode, output: check.output };
	return { ...ended, kind: "conversation", claim: calls.map(readClaim).findLast((claim) => claim !== undefined) };
}

/** The newest turn, if it counts for a goal and none was judged by it: its host has ended with it. A command counts nothing. */
export function readUnjudgedTurn(events: readonly PublishedEvent[]): EndedTurnOf | undefined {
	const ended = events.findLastIndex(({ event }) => event.type === "turnCompleted");
	const judged = events.findLastIndex(({ event }) => event.type === "goalChanged");
	const turn = ended > judged ? readEndedTurn(events) : undefined;
	return turn?.kind === "conversation" ? turn : undefined;
}

function readClaim({ name, status, arguments: json }: CallItem): GoalClaim | undefined {
	if (name !== REPORT_GOAL || status !== "completed") return undefined;
	try {
		return GoalClaim.safeParse(JSON.parse(json)).data;
	} catch {
		return undefined;
	}
}
