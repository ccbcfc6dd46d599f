import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { ThreadEvent } from "../protocol/thread/events.ts";
import { nameApproval } from "./approval-text.ts";

type EventOf<Type extends ThreadEvent["type"]> = Extract<ThreadEvent, { readonly type: Type }>;

/** What became of a turn, as far as its events say. */
export interface TurnOutcome {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	readonly status: "running" | EventOf<"turnCompleted">["status"];
	/** The last message of the model. */
	readonly text: string;
	readonly error?: EventOf<"turnCompleted">["error"];
	readonly usage?: Pick<EventOf<"usage">, "last" | "total" | "percentLeft">;
	readonly changedFiles: readonly string[];
	/** What the agent wanted to do and was not allowed to. */
	readonly refused: readonly string[];
	/** Compactions in this turn. */
	readonly compactions: readonly EventOf<"compactionCompleted">[];
	/** Titles of approvals that wait for an answer, by their id. */
	readonly waiting: Readonly<Record<string, string>>;
}

/** The outcome after one more event; events of other turns change nothing. */
export function addToOutcome(outcome: TurnOutcome, event: ThreadEvent): TurnOutcome {
	if (!("turnId" in event) || event.turnId !== outcome.turnId) return outcome;
	switch (event.type) {
		case "itemCompleted":
			return event.item.kind === "agentMessage" ? { ...outcome, text: event.item.text } : outcome;
		case "usage": {
			const { last, total, percentLeft } = event;
			return { ...outcome, usage: { last, total, percentLeft } };
		}
		case "compactionCompleted":
			return { ...outcome, compactions: [...outcome.compactions, event] };
		case "turnCompleted":
			return { ...outcome, status: event.status, ...(event.error === undefined ? {} : { error: event.error }) };
		default:
			return addDeed(outcome, event);
	}
}

/** The outcome after an event of a sub-agent that works for the turn: what it changed, and what it was refused. */
export function addDeed(outcome: TurnOutcome, event: ThreadEvent): TurnOutcome {
	switch (event.type) {
		case "filesChanged":
			return { ...outcome, changedFiles: [...new Set([...outcome.changedFiles, ...event.paths])] };
		case "approvalRequested": {
			const { approvalId, subject } = event.request;
			return { ...outcome, waiting: { ...outcome.waiting, [approvalId]: nameApproval(subject) } };
		}
		case "approvalResolved": {
			const { [event.approvalId]: title, ...waiting } = outcome.waiting;
			const isRefused = event.decision === "deny" || event.decision === "abort";
			return { ...outcome, waiting, refused: isRefused && title ? [...outcome.refused, title] : outcome.refused };
		}
		case "decided":
			return event.decision === "deny" ? { ...outcome, refused: [...outcome.refused, event.what] } : outcome;
		default:
			return outcome;
	}
}

export function beginOutcome(threadId: ThreadId, turnId: TurnId): TurnOutcome {
	return { threadId, turnId, status: "running", text: "", changedFiles: [], refused: [], compactions: [], waiting: {} };
}
