import type { WorldSnapshot } from "../context/section.ts";
import type { ThreadSource } from "../envelope/envelope.ts";
import type { HistoryItem } from "../history/item.ts";
import type { Item, PublishedEvent, TokenCount } from "../protocol/events.ts";
import type { ItemId, ThreadId, TurnId } from "../protocol/ids.ts";
import type { PartialSettings } from "../protocol/settings.ts";
import { applyMergePatch, type Json } from "./merge-patch.ts";
import type { RecordBody, Reference, ThreadRecord } from "./record.ts";

type ToolCallItem = Extract<Item, { kind: "toolCall" }>;

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
	readonly purpose: "compaction" | undefined;
	/** The user's text, until the record of history items holds it. */
	readonly unrecordedInput: readonly string[];
	readonly live: LiveItem | undefined;
	/** Calls that were published as running and have no result. */
	readonly runningTools: readonly ToolCallItem[];
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
	readonly settings: PartialSettings;
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
	/** Prompts that stay word for word through every compaction. */
	readonly pins: readonly Pin[];
	/** What the last response, or the last rewrite, said of the size of the context. */
	readonly lastUsage: LastUsage | undefined;
	readonly lastCompaction: CompactionDone | undefined;
	readonly told: WorldSnapshot;
	/** The envelope of the last turn, without the base instructions. */
	readonly envelope: Json | undefined;
	readonly title: string;
	readonly archived: boolean;
	readonly turns: number;
	readonly model: string;
	readonly total: TokenCount | undefined;
	readonly percentLeft: number | undefined;
	readonly updatedAt: number;
	readonly records: number;
	/** The thread has a header on disk; a thread without a turn has none yet. */
	readonly written: boolean;
	readonly openTurn: OpenTurn | undefined;
}

export interface TurnStart {
	readonly turnId: TurnId;
	readonly at: number;
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

interface Compacted {
	readonly history: readonly HistoryItem[];
	readonly turnStarts: readonly TurnStart[];
	readonly droppedTurns: readonly TurnId[];
	/** Items that stand in the place of `history`. */
	readonly replacement: number;
}

const MAX_TITLE_CHARS = 80;

/** Adds one record. The only way a thread's state changes, live and on replay alike. */
export function applyRecord(state: ThreadState | undefined, record: ThreadRecord): ThreadState {
	const { body, at } = record;
	if (body.kind === "thread") {
		// Instructions that can no longer be read must not be replaced by words that say so.
		const header = record.refs === undefined ? body : { ...body, baseInstructions: "" };
		return { ...emptyState(body.threadId, header, at), written: true };
	}
	if (state === undefined) throw new Error("A thread's first record must be its header.");
	const next = { ...state, records: record.n, updatedAt: at };
	switch (body.kind) {
		case "envelope":
			return { ...next, envelope: applyMergePatch(state.envelope, body.patch) };
		case "event":
			return applyEvent(next, body.event);
		case "items":
			noteUnread(state, record, body.items);
			for (const item of body.items) state.history.push(item);
			return withOpenTurn(next, (turn) => ({
				...turn,
				unrecordedInput: body.items.some((item) => item.kind === "userMessage") ? [] : turn.unrecordedInput,
			}));
		case "settings":
			return { ...next, settings: body.settings, cwd: body.cwd ?? state.cwd };
		case "rewrite":
			noteUnread(state, record, body.items);
			return rewrite(next, body);
		case "request":
			return next;
		case "told":
			return { ...next, told: body.snapshot };
		case "partial":
			return withOpenTurn(next, (turn) => ({ ...turn, live: extendLive(turn.live, body) }));
	}
}

export function emptyState(
	threadId: ThreadId,
	header: {
		readonly cwd?: string | undefined;
		readonly settings: PartialSettings;
		readonly baseInstructions: string;
		readonly source?: ThreadSource | undefined;
	},
	at: number,
): ThreadState {
	return {
		threadId,
		cwd: header.cwd,
		settings: header.settings,
		baseInstructions: header.baseInstructions,
		source: header.source ?? "user",
		history: [],
		turnStarts: [],
		beforeCompaction: undefined,
		unread: [],
		droppedTurns: [],
		pins: [],
		lastUsage: undefined,
		lastCompaction: undefined,
		told: {},
		envelope: undefined,
		title: "New thread",
		archived: false,
		turns: 0,
		model: "",
		total: undefined,
		percentLeft: undefined,
		updatedAt: at,
		records: 1,
		written: false,
		openTurn: undefined,
	};
}

/** The first line of the first prompt, short enough for a list. */
export function titleFrom(prompt: string): string {
	const line = prompt.trim().split("\n")[0]?.trim() ?? "";
	const characters = [...line];
	return characters.length <= MAX_TITLE_CHARS ? line : `${characters.slice(0, MAX_TITLE_CHARS - 1).join("")}…`;
}

function applyEvent(state: ThreadState, event: PublishedEvent["event"]): ThreadState {
	switch (event.type) {
		case "turnStarted":
			return startTurn(state, event);
		case "itemStarted":
			return withOpenTurn(state, (turn) => startItem(turn, event.item));
		case "itemCompleted":
			return withOpenTurn(state, (turn) => completeItem(turn, event.item));
		case "usage":
			return {
				...state,
				total: event.total,
				percentLeft: event.percentLeft,
				lastUsage: usageIn(event),
			};
		case "compactionCompleted":
			return { ...state, lastCompaction: event };
		case "pinChanged":
			return { ...state, pins: changePin(state.pins, event.turnId, event.text) };
		case "titleChanged":
			return { ...state, title: event.title };
		case "archivedChanged":
			return { ...state, archived: event.archived };
		case "turnCompleted":
			return { ...state, openTurn: undefined };
		case "rolledBack":
			return { ...state, turns: state.turns - event.turnIds.length };
		case "contextUpdated":
		case "turnDiff":
		case "approvalRequested":
		case "approvalResolved":
		case "settingsChanged":
		case "compactionStarted":
		case "compactionUndone":
		case "warning":
		case "retrying":
		case "itemDelta":
			return state;
	}
}

/** Without its count, which older releases did not write, it says nothing of a history that may have grown since. */
function usageIn(event: Extract<PublishedEvent["event"], { type: "usage" }>): LastUsage | undefined {
	const { last, window, items } = event;
	return items === undefined ? undefined : { last, window, items };
}

function startTurn(state: ThreadState, event: Extract<PublishedEvent["event"], { type: "turnStarted" }>): ThreadState {
	const { turnId, purpose, envelope } = event;
	const openTurn = { turnId, purpose, unrecordedInput: [], live: undefined, runningTools: [] };
	// A compaction is a turn for whoever watches, not for the conversation.
	if (purpose === "compaction") return { ...state, openTurn };
	state.turnStarts.push({ turnId, at: state.history.length });
	const cwd = state.cwd ?? envelope.cwd;
	return { ...state, cwd, turns: state.turns + 1, model: envelope.model, openTurn };
}

function rewrite(state: ThreadState, body: Extract<RecordBody, { kind: "rewrite" }>): ThreadState {
	if (body.reason === "undo") return undoCompaction(state);
	const { history, turnStarts, droppedTurns } = state;
	const items = [...history.slice(0, body.keep), ...body.items];
	const kept = [...turnStarts.filter((start) => start.at < body.keep), ...(body.starts ?? [])];
	const stays = new Set(kept.map(({ turnId }) => turnId));
	const gone = turnStarts.map(({ turnId }) => turnId).filter((turnId) => !stays.has(turnId));
	const isCompaction = body.reason === "compaction";
	return {
		...state,
		told: {},
		history: items,
		turnStarts: kept,
		lastUsage: undefined,
		droppedTurns: isCompaction ? [...droppedTurns, ...gone] : droppedTurns,
		beforeCompaction: isCompaction ? { history, turnStarts, droppedTurns, replacement: items.length } : undefined,
	};
}

function noteUnread({ unread }: ThreadState, { refs = [] }: ThreadRecord, items: readonly HistoryItem[]): void {
	for (const { path, sha256 } of refs) {
		const [, index, ...inItem] = path;
		const item = items[Number(index)];
		if (item !== undefined) unread.push({ item, path: inItem, sha256 });
	}
}

function undoCompaction(state: ThreadState): ThreadState {
	const { history, turnStarts, beforeCompaction: before } = state;
	if (before === undefined) return state;
	const shift = before.history.length - before.replacement;
	const known = new Set(before.turnStarts.map(({ turnId }) => turnId));
	const since = turnStarts.filter(({ turnId }) => !known.has(turnId));
	return {
		...state,
		told: {},
		history: [...before.history, ...history.slice(before.replacement)],
		turnStarts: [...before.turnStarts, ...since.map((start) => ({ ...start, at: start.at + shift }))],
		droppedTurns: before.droppedTurns,
		lastUsage: undefined,
		beforeCompaction: undefined,
	};
}

function changePin(pins: readonly Pin[], turnId: TurnId, text: string | undefined): readonly Pin[] {
	const others = pins.filter((pin) => pin.turnId !== turnId);
	return text === undefined ? others : [...others, { turnId, text }];
}

function startItem(turn: OpenTurn, item: Item): OpenTurn {
	if (item.kind === "toolCall") return { ...turn, runningTools: [...turn.runningTools, item] };
	if (item.kind !== "agentMessage" && item.kind !== "reasoning") return turn;
	return { ...turn, live: { turnId: turn.turnId, itemId: item.id, itemKind: item.kind, text: item.text } };
}

function completeItem(turn: OpenTurn, item: Item): OpenTurn {
	if (item.kind === "userMessage" && item.messageKind === "plain") {
		return { ...turn, unrecordedInput: [...turn.unrecordedInput, item.text] };
	}
	return {
		...turn,
		live: turn.live?.itemId === item.id ? undefined : turn.live,
		runningTools: turn.runningTools.filter((tool) => tool.id !== item.id),
	};
}

function extendLive(
	live: LiveItem | undefined,
	partial: { readonly itemId: string; readonly offset: number; readonly text: string },
): LiveItem | undefined {
	if (live === undefined || live.itemId !== partial.itemId || partial.offset > live.text.length) return live;
	return { ...live, text: live.text.slice(0, partial.offset) + partial.text };
}

function withOpenTurn(state: ThreadState, change: (turn: OpenTurn) => OpenTurn): ThreadState {
	return state.openTurn === undefined ? state : { ...state, openTurn: change(state.openTurn) };
}
