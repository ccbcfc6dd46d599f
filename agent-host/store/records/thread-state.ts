import type { WorldSnapshot } from "../../context/section.ts";
import type { ThreadSource } from "../../envelope/envelope.ts";
import type { Held } from "../../envelope/kept-contract.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import type { ItemId, ThreadId, TurnId } from "../../protocol/ids.ts";
import type { ApprovalPolicy, PermissionMode } from "../../protocol/settings/policy-settings.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { ReviewMark, UserEdit } from "../../protocol/thread/changes.ts";
import type { EnvelopeSummary, PublishedEvent, Spent, TokenCount, TurnPurpose } from "../../protocol/thread/events.ts";
import type { CallItem } from "../../protocol/thread/item.ts";
import type { Json } from "./merge-patch.ts";
import type { Reference } from "./record.ts";

/** Text of the item that is being written. */
export interface LiveItem {
	readonly turnId: TurnId;
	readonly itemId: ItemId;
	readonly itemKind: "agentMessage" | "reasoning";
	readonly text: string;
}

/** A turn that has started and not ended, as far as the records say. */
export interface OpenTurn {
	readonly turnId: TurnId;
	/** Undefined for a turn of the conversation. */
	readonly purpose: TurnPurpose | undefined;
	/** The user's messages, each with its images, until a record of history items holds them. */
	readonly unrecordedInput: readonly HistoryItem[];
	readonly live: LiveItem | undefined;
	/** Calls that were published as running and have no result. */
	readonly runningTools: readonly CallItem[];
}

/** A text of the history that is kept apart: which item lacks it, and where. */
export interface UnreadText {
	readonly item: HistoryItem;
	readonly path: Reference["path"];
	readonly sha256: string;
}

/**
 * A thread as its records tell it, the transcript left out. The history only ever grows and is shared between successive
 * values, because a long thread would otherwise be copied with every record.
 */
export interface ThreadState {
	readonly threadId: ThreadId;
	readonly cwd: string | undefined;
	/** What the user chose for this thread. */
	readonly settings: PartialSettings;
	/** What it took from the client and keeps, as far as the records say so. */
	readonly held: Held | undefined;
	readonly baseInstructions: string;
	readonly source: ThreadSource;
	readonly history: HistoryItem[];
	/** Where each turn begins in the history; turns before the last rewrite that dropped them are not in it. */
	readonly turnStarts: TurnStart[];
	/** What the last compaction replaced, while it can still be undone. */
	readonly beforeCompaction: Compacted | undefined;
	/** What of the history still stands in blobs, also of a history that was replaced; shared. `readHistory` brings it in. */
	readonly unread: UnreadText[];
	/** The turns that compactions have replaced, in order; what they said can be read again from the log. */
	readonly droppedTurns: readonly TurnId[];
	/** The turns of the conversation inside which a compaction was made, without those that were rolled back. */
	readonly compactedIn: readonly TurnId[];
	/** Prompts that stay word for word through every compaction. */
	readonly pins: readonly Pin[];
	/** What the last response, or the last rewrite, said of the size of the context. */
	readonly lastUsage: LastUsage | undefined;
	readonly lastCompaction: CompactionDone | undefined;
	readonly told: WorldSnapshot;
	/** The envelope of the last turn, without the base instructions. */
	readonly envelope: Json | undefined;
	readonly title: string;
	/** The first prompt in short, whatever the title has become. */
	readonly preview: string;
	readonly archived: boolean;
	readonly turns: number;
	readonly model: string;
	/** What the last turn ran with. */
	readonly approval: ApprovalPolicy | undefined;
	readonly permissionMode: PermissionMode | undefined;
	readonly total: TokenCount | undefined;
	/** What all its turns have cost; undefined until a turn of this release has said so. */
	readonly spent: Spent | undefined;
	readonly percentLeft: number | undefined;
	readonly updatedAt: number;
	readonly records: number;
	/** The thread has a header on disk; a thread without a turn has none yet. */
	readonly written: boolean;
	readonly openTurn: OpenTurn | undefined;
	/** What the agent did to files, in order; only ever grows, and is shared like the history. */
	readonly touches: Touch[];
	/** How many touches there were when each turn began, rolled-back ones included. */
	readonly touchStarts: TurnStart[];
	readonly reviews: ReadonlyMap<string, ReviewMark>;
	/** What the user did with changes, as far as the model does not know of it. */
	readonly untoldEdits: readonly UserEdit[];
	readonly lastRestore: Restored | undefined;
	/** What clients have named of the newest turn's input, so that none of it is taken twice. */
	readonly inputs: readonly NamedInput[];
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
}

export type Restored = Extract<PublishedEvent["event"], { type: "restored" }>;

export interface TurnStart {
	readonly turnId: TurnId;
	readonly at: number;
	/** Who answered; unknown of turns that a compaction carried over. */
	readonly by?: Pick<EnvelopeSummary, "provider" | "model"> | undefined;
}

export interface Pin {
	readonly turnId: TurnId;
	readonly text: string;
}

export interface LastUsage {
	readonly last: TokenCount;
	readonly window: number;
	/** Items of history that the numbers count. */
	readonly items: number;
}

export type CompactionDone = Omit<Extract<PublishedEvent["event"], { type: "compactionCompleted" }>, "type">;

export interface Compacted {
	readonly history: HistoryItem[];
	readonly turnStarts: TurnStart[];
	readonly droppedTurns: readonly TurnId[];
	/** Items that stand in the place of `history`. */
	readonly replacement: number;
}

/** A thread that no record has said anything of yet. */
export function emptyState(
	threadId: ThreadId,
	header: {
		readonly cwd?: string | undefined;
		readonly settings: PartialSettings;
		readonly held?: Held | undefined;
		readonly baseInstructions: string;
		readonly source?: ThreadSource | undefined;
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
		touches: [],
		touchStarts: [],
		reviews: new Map(),
		untoldEdits: [],
		lastRestore: undefined,
		inputs: [],
	};
}

/** The turns of the conversation, oldest first: those that a compaction has replaced, and those that the history holds. */
export function turnsOf({
	droppedTurns,
	turnStarts,
}: Pick<ThreadState, "droppedTurns" | "turnStarts">): readonly TurnId[] {
	return [...new Set([...droppedTurns, ...turnStarts.map(({ turnId }) => turnId)])];
}
