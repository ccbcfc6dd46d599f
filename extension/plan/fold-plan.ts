import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { toPlanDocument } from "./plan-text.ts";

/** How far a thread is with a plan: a turn in plan mode, its newest answer, and the plan if that turn was the last. */
export interface Planning {
	readonly turnId: string | undefined;
	readonly answer: string;
	/** The plan as a document, until another turn starts. */
	readonly ready: string | undefined;
}

export const NO_PLANNING: Planning = { turnId: undefined, answer: "", ready: undefined };

export function foldPlan(planning: Planning, event: ThreadEvent): Planning {
	switch (event.type) {
		case "turnStarted":
			if (event.purpose !== undefined) return planning;
			return event.envelope.collaboration === "plan" ? { ...NO_PLANNING, turnId: event.turnId } : NO_PLANNING;
		case "itemCompleted":
			if (event.turnId !== planning.turnId || event.item.kind !== "agentMessage") return planning;
			return { ...planning, answer: event.item.text };
		case "turnCompleted":
			if (event.turnId !== planning.turnId || event.status !== "completed") return planning;
			return { ...planning, ready: toPlanDocument(planning.answer) };
		case "rolledBack":
			return event.turnIds.some((turnId) => turnId === planning.turnId) ? NO_PLANNING : planning;
		default:
			return planning;
	}
}
