import type { WorldSnapshot } from "../../context/section.ts";
import type { ThreadSource } from "../../envelope/envelope.ts";
import type { Held } from "../../envelope/kept-contract.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import type { AgentHeader, AgentReport } from "../../protocol/agent.ts";
import type { ItemId, ThreadId, TurnId } from "../../protocol/ids.ts";
import type { ApprovalPolicy, PermissionMode } from "../../protocol/settings/policy-settings.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { ReviewMark, TouchedFile, UserEdit } from "../../protocol/thread/changes.ts";
import type {
	EnvelopeSummary,
	PublishedEvent,
	Spent,
	SpentSoFar,
	TokenCount,
	TurnPurpose,
} from "../../protocol/thread/events.ts";
import type { Goal } from "../../protocol/thread/goal.ts";
import type { CallItem } from "../../protocol/thread/item.ts";
import type { Json } from "./merge-patch.ts";
import type { Reference } from "./record.ts";

/** Text of the item in progress. */
export interface LiveItem {
	readonly turnId: TurnId;
	readonly itemId: ItemId;
	readonly itemKind: "agentMessage" | "reasoning";
	readonly text: string;
}

/** A turn that has started and not ended, according to the records. */
export interface OpenTurn {
	readonly turnId: TurnId;
	/** Undefined for a turn of the conversation. */
	readonly purpose: TurnPurpose | undefined;
	/** The history contains the turn's prompt already, and its message has not been read yet. */
	readonly repeats: boolean;
	/** The user's messages, each with its images, until history items contain them. */
	readonly unrecordedInput: readonly HistoryItem[];
	readonly live: LiveItem | undefined;
	/** Calls that were published as running and have no result. */
	readonly runningTools: readonly CallItem[];
	/** What it has cost so far, as last recorded. */
	readonly spent: SpentSoFar | undefined;
}

/** An externalized text of the history: which item lacks it, and where. */
export interface UnreadText {
	readonly item: HistoryItem;
	readonly path: Reference["path"];
	readonly sha256: string;
}

/**
 * A thread as its records tell it, without the transcript. The history only grows and is shared between successive
 * values, because a long thread would otherwise be copied with every record.
 */
export interface ThreadState {
	readonly threadId: ThreadId;
	readonly cwd: string | undefined;
	/** The user's choices for this thread. */
	readonly settings: PartialSettings;
	/** Settings that it took from the client and keeps, as far as recorded. */
	readonly held: Held | undefined;
	readonly baseInstructions: string;
	readonly source: ThreadSource;
	/** Set if the thread belongs to a sub-agent. */
	readonly agent: AgentHeader | undefined;
	/** The sub-agents that it has started, by their threads, also in turns that were rolled back. */
	readonly agents: ReadonlyMap<ThreadId, StartedAgent>;
	readonly history: HistoryItem[];
	/** Where each turn begins in the history; turns that a rewrite dropped are not in it. */
	readonly turnStarts: TurnStart[];
	/** What the last compaction replaced, while it can still be undone. */
	readonly beforeCompaction: Compacted | undefined;
	/** Texts of the history that are still in blobs, also of a replaced history; shared. `readHistory` loads them. */
	readonly unread: UnreadText[];
	/** The turns that compactions have replaced, in order; their content can be read from the log. */
	readonly droppedTurns: readonly TurnId[];
	/** The turns of the conversation with a compaction inside, without those that were rolled back. */
	readonly compactedIn: readonly TurnId[];
	/** Prompts and messages that are kept word for word through every compaction. */
	readonly pins: readonly Pin[];
	/** The context size that the last response, or the last rewrite, reported. */
	readonly lastUsage: LastUsage | undefined;
	readonly lastCompaction: CompactionDone | undefined;
	readonly told: WorldSnapshot;
	/** The envelope of the last turn, without the base instructions. */
	readonly envelope: Json | undefined;
	readonly title: string;
	/** The first prompt in short, even if the title has changed. */
	readonly preview: string;
	readonly archived: boolean;
	readonly turns: number;
	readonly model: string;
	/** The approval policy of the last turn. */
	readonly approval: ApprovalPolicy | undefined;
	readonly permissionMode: PermissionMode | undefined;
	readonly total: TokenCount | undefined;
	/** The cost of all its turns; undefined until a turn of this release has reported it. */
	readonly spent: Spent | undefined;
	readonly percentLeft: number | undefined;
	readonly updatedAt: number;
	readonly records: number;
	/** The thread has a header on disk; a thread without a turn has none yet. */
	readonly written: boolean;
	readonly openTurn: OpenTurn | undefined;
	/** The newest goal, also after its end. */
	readonly goal: Goal | undefined;
	/** The agent's file changes, in order; only grows, and is shared like the history. */
	readonly touches: Touch[];
	/** The number of touches at the beginning of each turn, including turns that were rolled back. */
	readonly touchStarts: TurnStart[];
	readonly reviews: ReadonlyMap<string, ReviewMark>;
	/** The user's review actions that the model was not told yet. */
	readonly untoldEdits: readonly UserEdit[];
	/** Files that restores have changed and the model was not told yet. */
	readonly untoldRestored: readonly TouchedFile[];
	/** What restores and rollbacks changed, oldest first; the last one is undone first. */
	readonly undos: readonly Undoable[];
	/** Client ids of the newest turn's input, so that none of it is accepted twice. */
	readonly inputs: readonly NamedInput[];
}

/** A sub-agent as last recorded, and the turn that started it. */
export interface StartedAgent {
	readonly turnId: TurnId;
	readonly report: AgentReport;
}

export interface NamedInput {
	readonly turnId: TurnId;
	readonly clientId: string;
}

export interface Touch {
	readonly turnId: TurnId;
	readonly path: string;
	readonly before?: string | undefined;
	readonly after?: string | undefined;
	/** Permission bits of a file that was removed. */
	readonly mode?: number | undefined;
	/** When the content before was read. */
	readonly since: number;
}

export type Restored = Extract<PublishedEvent["event"], { type: "restored" }>;

/** Everything about a thread that a rollback changes. */
export type Conversation = Pick<
	ThreadState,
	| "history"
	| "turnStarts"
	| "beforeCompaction"
	| "lastCompaction"
	| "droppedTurns"
	| "compactedIn"
	| "pins"
	| "turns"
	| "percentLeft"
>;

/** What one restore changed and an undo brings back: files, the conversation, or both. */
export interface Undoable {
	readonly files?: Restored | undefined;
	readonly before?: Conversation | undefined;
}

export interface TurnStart {
	readonly turnId: TurnId;
	readonly at: number;
	/** The model that answered; unknown for turns that a compaction carried over. */
	readonly by?: Pick<EnvelopeSummary, "provider" | "model"> | undefined;
}

export interface Pin {
	readonly turnId: TurnId;
	/** Of a message that was sent into the turn; undefined for its prompt. */
	readonly itemId: ItemId | undefined;
	readonly text: string;
}

export interface LastUsage {
	readonly last: TokenCount;
	readonly window: number;
	/** Number of history items that the counts include. */
	readonly items: number;
	readonly estimated: boolean;
}

export type CompactionDone = Omit<Extract<PublishedEvent["event"], { type: "compactionCompleted" }>, "type">;

export interface Compacted {
	readonly history: HistoryItem[];
	readonly turnStarts: TurnStart[];
	readonly droppedTurns: readonly TurnId[];
	/** Its size as reported. */
	readonly lastUsage: LastUsage | undefined;
	/** Number of items that replaced `history`. */
	readonly replacement: number;
}

/** The state of a thread without records. */
export function emptyState(
	threadId: ThreadId,
	header: {
		readonly cwd?: string | undefined;
		readonly settings: PartialSettings;
		readonly held?: Held | undefined;
		readonly baseInstructions: string;
		readonly source?: ThreadSource | undefined;
		readonly agent?: AgentHeader | undefined;
	},
	at: number,
): ThreadState {
	return {
		threadId,
		cwd: header.cwd,
		settings: header.settings,
		held: header.held,
		baseInstructions: header.baseInstructions,
		source: header.source ?? "user",
		agent: header.agent,
		agents: new Map(),
		history: [],
		turnStarts: [],
		beforeCompaction: undefined,
		unread: [],
		droppedTurns: [],
		compactedIn: [],
		pins: [],
		lastUsage: undefined,
		lastCompaction: undefined,
		told: {},
		envelope: undefined,
		title: "New thread",
		preview: "",
		archived: false,
		turns: 0,
		model: "",
		approval: undefined,
		permissionMode: undefined,
		total: undefined,
		spent: undefined,
		percentLeft: undefined,
		updatedAt: at,
		records: 1,
		written: false,
		openTurn: undefined,
		goal: undefined,
		touches: [],
		touchStarts: [],
		reviews: new Map(),
		untoldEdits: [],
		untoldRestored: [],
		undos: [],
		inputs: [],
	};
}

/** The sub-agents of the turns of the conversation: the model does not know those of turns that were rolled back. */
export function listAgents(state: Pick<ThreadState, "agents" | "droppedTurns" | "turnStarts">): readonly AgentReport[] {
	// Most threads have none, but many turns.
	if (state.agents.size === 0) return [];
	const turns = new Set(listTurns(state));
	return [...state.agents.values()].filter(({ turnId }) => turns.has(turnId)).map(({ report }) => report);
}

/** The turns of the conversation, oldest first: those that a compaction has replaced, and those in the history. */
export function listTurns({
	droppedTurns,
	turnStarts,
}: Pick<ThreadState, "droppedTurns" | "turnStarts">): readonly TurnId[] {
	return [...new Set([...droppedTurns, ...turnStarts.map(({ turnId }) => turnId)])];
}
