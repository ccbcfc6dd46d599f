import type { WorldSnapshot } from "../context/section.ts";
import type { HistoryItem } from "../history/item.ts";
import type { Item, PublishedEvent, TokenCount } from "../protocol/events.ts";
import type { ItemId, ThreadId, TurnId } from "../protocol/ids.ts";
import type { PartialSettings } from "../protocol/settings.ts";
import { applyMergePatch, type Json } from "./merge-patch.ts";
import type { ThreadRecord } from "./record.ts";

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
	/** The user's text, until the record of history items holds it. */
	readonly unrecordedInput: readonly string[];
	readonly live: LiveItem | undefined;
	/** Calls that were published as running and have no result. */
	readonly runningTools: readonly ToolCallItem[];
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
	readonly history: HistoryItem[];
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
	readonly openTurn: OpenTurn | undefined;
}

const MAX_TITLE_CHARS = 80;

/** Adds one record. The only way a thread's state changes, live and on replay alike. */
export function applyRecord(state: ThreadState | undefined, record: ThreadRecord): ThreadState {
	const { body, at } = record;
	if (body.kind === "thread") return emptyState(body.threadId, body, at);
	if (state === undefined) throw new Error("A thread's first record must be its header.");
	const next = { ...state, records: record.n, updatedAt: at };
	switch (body.kind) {
		case "envelope":
			return { ...next, envelope: applyMergePatch(state.envelope, body.patch) };
		case "event":
			return applyEvent(next, body.event);
		case "items":
			state.history.push(...body.items);
			return withOpenTurn(next, (turn) => ({
				...turn,
				unrecordedInput: body.items.some((item) => item.kind === "userMessage") ? [] : turn.unrecordedInput,
			}));
		case "told":
			return { ...next, told: body.snapshot };
		case "partial":
			return withOpenTurn(next, (turn) => ({ ...turn, live: extendLive(turn.live, body) }));
	}
}

export function emptyState(
	threadId: ThreadId,
	header: { readonly cwd?: string | undefined; readonly settings: PartialSettings; readonly baseInstructions: string },
	at: number,
): ThreadState {
	return {
		threadId,
		cwd: header.cwd,
		settings: header.settings,
		baseInstructions: header.baseInstructions,
		history: [],
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
		openTurn: undefined,
	};
}

/** Folds what was loaded of a thread. Undefined when it does not begin with a header. */
export function replay(loaded: {
	readonly records: readonly ThreadRecord[];
	readonly last: { readonly n: number; readonly at: number };
}): ThreadState | undefined {
	if (loaded.records[0]?.body.kind !== "thread") return undefined;
	const state = loaded.records.reduce<ThreadState | undefined>(applyRecord, undefined);
	return state === undefined ? undefined : { ...state, records: loaded.last.n, updatedAt: loaded.last.at };
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
			return {
				...state,
				cwd: state.cwd ?? event.envelope.cwd,
				turns: state.turns + 1,
				model: event.envelope.model,
				openTurn: { turnId: event.turnId, unrecordedInput: [], live: undefined, runningTools: [] },
			};
		case "itemStarted":
			return withOpenTurn(state, (turn) => startItem(turn, event.item));
		case "itemCompleted":
			return withOpenTurn(state, (turn) => completeItem(turn, event.item));
		case "usage":
			return { ...state, total: event.total, percentLeft: event.percentLeft };
		case "titleChanged":
			return { ...state, title: event.title };
		case "archivedChanged":
			return { ...state, archived: event.archived };
		case "turnCompleted":
			return { ...state, openTurn: undefined };
		case "contextUpdated":
		case "warning":
		case "itemDelta":
			return state;
	}
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
