import type { AgentReport } from "../../../agent-host/protocol/agent.ts";
import type {
	EnvelopeSummary,
	ThreadEvent,
	TurnErrorCode,
	TurnPurpose,
} from "../../../agent-host/protocol/thread/events.ts";
import type { Goal } from "../../../agent-host/protocol/thread/goal.ts";
import type { ApprovalEntry, Entry, QuestionEntry } from "./entry.ts";

type Usage = Extract<ThreadEvent, { readonly type: "usage" }>;

/** The next attempt of a failed request, by the page's clock. */
export interface Retry {
	readonly at: number;
	readonly code: TurnErrorCode;
	/** What the server said. */
	readonly reason: string;
}

/** The running turn. */
export interface Running {
	readonly turnId: string;
	readonly since: number;
	/** Number of model responses so far. */
	readonly steps: number;
	/** Number of requests that failed and were repeated. */
	readonly retries: number;
	/** Purpose of a turn that is not part of the conversation. */
	readonly purpose?: TurnPurpose;
	/** When a failed request is retried, and why it failed. */
	/** Repeats the prompt of the turn before, which has not been read yet. */
	readonly repeats?: boolean;
	readonly retry?: Retry;
}

/** A thread as the page shows it. It is derived from events only, so a reload shows the same. */
export interface Transcript {
	/** Number of the newest durable event that was applied. */
	readonly last: number;
	/** Events are missing; only the extension can send them. */
	readonly gap: boolean;
	readonly title: string;
	readonly entries: readonly Entry[];
	/** Streaming texts by item id. Separate from the entries, so that a delta does not copy the thread. */
	readonly live: ReadonlyMap<string, string>;
	readonly running: Running | undefined;
	/** The newest turn, if it was stopped or has failed: what comes next is the user's decision. */
	readonly halted: string | undefined;
	/** Cost of the thread and of its newest turn. */
	readonly spent: Usage["spent"] | undefined;
	/** Usage of the newest response for which the server reported token counts. */
	readonly counted: Usage | undefined;
	/** Pending approvals, oldest first. */
	readonly approvals: readonly ApprovalEntry[];
	/** Pending questions, oldest first. */
	readonly questions: readonly QuestionEntry[];
	/** Sub-agents that work, by the call that started them. */
	readonly agents: ReadonlyMap<string, AgentReport>;
	/** Envelope of the newest turn. */
	readonly envelope: EnvelopeSummary | undefined;
	/** Key of the newest plan; older plans are outdated. */
	readonly plan: string | undefined;
	/** The newest goal of the thread, also after its end. */
	readonly goal: Goal | undefined;
	/** The running compaction, and whether the model had its context before it. */
	readonly compacting: { readonly before: number; readonly after: number; readonly hadContext: boolean } | undefined;
	/** The compaction that can still be undone. */
	readonly undoable: string | undefined;
	/** What is pinned, with its turn: the id of a turn for its prompt, the id of a message that was sent into one. */
	readonly pins: ReadonlyMap<string, string>;
	/** What undoing a rollback brings back, oldest first; the last one comes first. */
	readonly versions: readonly Version[];
	/** Start time of each turn. */
	readonly startedAt: ReadonlyMap<string, number>;
	/** The model has its full context, so from here on only changes are sent. */
	readonly hasContext: boolean;
}

/** The thread before a rollback. */
export type Version = Pick<Transcript, "entries" | "pins" | "plan" | "undoable">;

export function emptyTranscript(title: string): Transcript {
	const none = { plan: undefined, goal: undefined, compacting: undefined, undoable: undefined };
	const nothing = { ...none, running: undefined, halted: undefined, envelope: undefined };
	const unknown = { ...nothing, spent: undefined, counted: undefined };
	return {
		last: 0,
		gap: false,
		title,
		entries: [],
		live: new Map(),
		startedAt: new Map(),
		pins: new Map(),
		approvals: [],
		questions: [],
		agents: new Map(),
		versions: [],
		hasContext: false,
		...unknown,
	};
}

/** Current text of an entry, including streamed text. */
export function getText(transcript: Transcript, entry: { readonly itemId: string; readonly text: string }): string {
	return transcript.live.get(entry.itemId) ?? entry.text;
}
