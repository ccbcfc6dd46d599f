import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import type {
	EnvelopeSummary,
	ThreadEvent,
	TurnErrorCode,
	TurnPurpose,
} from "../../../agent-host/protocol/thread/events.ts";
import type { ApprovalEntry, Entry, QuestionEntry } from "./entry.ts";

type Usage = Extract<ThreadEvent, { readonly type: "usage" }>;

/** An attempt that comes at a time of the page's clock. */
export interface Retry {
	readonly at: number;
	readonly code: TurnErrorCode;
}

/** The turn under way. */
export interface Running {
	readonly turnId: string;
	readonly since: number;
	/** Answers of the model so far. */
	readonly steps: number;
	/** What it is for, when it is none of the conversation. */
	readonly purpose?: TurnPurpose;
	/** When a failed request is made again, and why it failed. */
	readonly retry?: Retry;
}

/** A thread as the page shows it: a fold of its events, so that a reload shows the same. */
export interface Transcript {
	/** Number of the newest durable event folded in. */
	readonly last: number;
	/** Something is missing between what is known and what arrived; only the extension can fill it. */
	readonly gap: boolean;
	readonly title: string;
	readonly entries: readonly Entry[];
	/** Texts in flight by item. Apart from the entries, so that a delta does not copy the thread. */
	readonly live: ReadonlyMap<string, string>;
	readonly running: Running | undefined;
	readonly percentLeft: number | undefined;
	/** What the thread and its newest turn have cost. */
	readonly spent: Usage["spent"] | undefined;
	/** The newest answer whose server counted its tokens itself. */
	readonly counted: Usage | undefined;
	/** Questions that wait for an answer, oldest first. */
	readonly approvals: readonly ApprovalEntry[];
	/** The same for questions about how to go on. */
	readonly questions: readonly QuestionEntry[];
	/** What the newest turn was bound to. */
	readonly envelope: EnvelopeSummary | undefined;
	/** What the user has set for this thread alone. */
	readonly own: { readonly settings: PartialSettings; readonly cwd: string | undefined } | undefined;
	/** Key of the newest plan; older ones are only what once was planned. */
	readonly plan: string | undefined;
	/** A compaction under way, and whether the model would know of the world without it. */
	readonly compacting: { readonly before: number; readonly after: number; readonly hadContext: boolean } | undefined;
	/** The compaction that can still be taken back. */
	readonly undoable: string | undefined;
	/** Turns whose prompt is kept word for word through every compaction. */
	readonly pins: ReadonlySet<string>;
	/** When each turn began. */
	readonly startedAt: ReadonlyMap<string, number>;
	/** The model has been told of the world, so that from here on it is told changes only. */
	readonly hasContext: boolean;
}

export function emptyTranscript(title: string): Transcript {
	const none = { plan: undefined, compacting: undefined, undoable: undefined };
	const nothing = { ...none, running: undefined, percentLeft: undefined, envelope: undefined, own: undefined };
	const unknown = { ...nothing, spent: undefined, counted: undefined };
	return {
		last: 0,
		gap: false,
		title,
		entries: [],
		live: new Map(),
		startedAt: new Map(),
		pins: new Set(),
		approvals: [],
		questions: [],
		hasContext: false,
		...unknown,
	};
}

/** The text of an entry as far as it is known. */
export function getText(transcript: Transcript, entry: { readonly itemId: string; readonly text: string }): string {
	return transcript.live.get(entry.itemId) ?? entry.text;
}
