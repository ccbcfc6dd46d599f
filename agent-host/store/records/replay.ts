import { imageOmitted } from "../../context/fragments/image-omitted.ts";
import { asHistoryItem, type HistoryItem } from "../../history/history-item.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { TouchedFile, UserEdit } from "../../protocol/thread/changes.ts";
import type { PublishedEvent, SpentSoFar } from "../../protocol/thread/events.ts";
import { type Item, isCall } from "../../protocol/thread/item.ts";
import { growSpent } from "../../spending/spent.ts";
import { applyMergePatch } from "./merge-patch.ts";
import type { ThreadRecord } from "./record.ts";
import { mute, rewrite } from "./rewrite-history.ts";
import {
	emptyState,
	type LastUsage,
	type LiveItem,
	type OpenTurn,
	type Pin,
	type ThreadState,
	type Touch,
} from "./thread-state.ts";
import { joinLast, noteFiles, noteUntold, undoRollback } from "./undo-restore.ts";

const MAX_TITLE_CHARS = 80;

/** Replaces an image whose bytes are gone. */
export const LOST_IMAGE: HistoryItem = asHistoryItem(imageOmitted.of({ from: "user", reason: "lost" }));

/** Applies one record. The only way a thread's state changes, live and on replay. */
export function applyRecord(state: ThreadState | undefined, record: ThreadRecord): ThreadState {
	const { body, at } = record;
	if (body.kind === "thread") {
		// Unreadable instructions must not be replaced by a notice.
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
			return withOpenTurn(tellEdits(next, body.items), (turn) => ({
				...turn,
				unrecordedInput: listUnrecorded(turn, body.items),
			}));
		case "images":
			return withOpenTurn(next, (turn) => ({
				...turn,
				unrecordedInput: [...turn.unrecordedInput, ...body.items.map((item) => (item.data === "" ? LOST_IMAGE : item))],
			}));
		case "attached":
			return withOpenTurn(next, (turn) => ({
				...turn,
				unrecordedInput: [...turn.unrecordedInput, ...body.items],
			}));
		case "settings":
			return { ...next, settings: body.settings, held: body.held ?? state.held, cwd: body.cwd ?? state.cwd };
		case "rewrite":
			noteUnread(state, record, body.items);
			return rewrite(next, body);
		case "mute":
			return mute(next, body);
		case "touch":
			if (body.undone === true) dropTouches(state.touches, body.files);
			else for (const file of body.files) state.touches.push({ turnId: body.turnId, since: body.since ?? at, ...file });
			return next;
		case "review":
			return { ...next, reviews: new Map([...state.reviews, ...body.marks.map((mark) => [mark.path, mark] as const)]) };
		case "request":
			return next;
		case "spent":
			return spend(next, body.spent);
		case "told":
			return { ...next, told: body.snapshot };
		case "partial":
			return withOpenTurn(next, (turn) => ({ ...turn, live: extendLive(turn.live, body) }));
	}
}

/** The first line of the first prompt without its markup, short enough for a list and cut between words. */
export function titleFrom(prompt: string): string {
	const lines = prompt.split("\n").map((one) =>
		one
			.trim()
			.replace(/^(?:[#>*-]+ )+/, "")
			.replaceAll(/`|\*\*/g, ""),
	);
	const line = lines.find((one) => one !== "") ?? "";
	const characters = [...line];
	if (characters.length <= MAX_TITLE_CHARS) return line;
	const cut = characters.slice(0, MAX_TITLE_CHARS - 1).join("");
	const space = cut.lastIndexOf(" ");
	return `${space > MAX_TITLE_CHARS / 2 ? cut.slice(0, space) : cut}…`;
}

function applyEvent(state: ThreadState, event: PublishedEvent["event"]): ThreadState {
	switch (event.type) {
		case "turnStarted":
			return startTurn(state, event);
		case "itemStarted":
			return withOpenTurn(state, (turn) => startItem(turn, event.item));
		case "itemCompleted":
			return withOpenTurn(withInput(state, event), (turn) => completeItem(turn, event.item));
		case "usage":
			return {
				...spend(state, event.spent),
				total: event.total,
				percentLeft: event.percentLeft,
				lastUsage: readUsage(event),
			};
		case "compactionCompleted":
			return { ...state, lastCompaction: event };
		case "pinChanged":
			return { ...state, pins: changePin(state.pins, event) };
		case "titleChanged":
			return { ...state, title: event.title, preview: state.preview === "" ? event.title : state.preview };
		case "archivedChanged":
			return { ...state, archived: event.archived };
		case "turnCompleted":
			return { ...spend(state, event.spent), openTurn: undefined };
		case "rolledBack":
			return withoutTurns(event.restored ? { ...state, undos: joinLast(state.undos) } : state, new Set(event.turnIds));
		case "rollbackUndone":
			return undoRollback(state, event.gone.length > 0);
		case "reviewed":
			return { ...state, untoldEdits: event.edits.reduce(addEdit, state.untoldEdits) };
		case "restored":
			return {
				...state,
				undos: noteFiles(state.undos, event),
				untoldRestored: noteUntold(state.untoldRestored, event),
			};
		case "agentChanged":
			return { ...state, agents: noteAgent(state.agents, event) };
		case "goalChanged":
			return { ...state, goal: event.goal };
		case "muteChanged":
		case "contextUpdated":
		case "decided":
		case "grantRevoked":
		case "turnDiff":
		case "filesChanged":
		case "approvalRequested":
		case "approvalResolved":
		case "questionAsked":
		case "questionAnswered":
		case "settingsChanged":
		case "compactionStarted":
		case "compactionSkipped":
		case "compactionUndone":
		case "warning":
		case "retrying":
		case "itemDelta":
			return state;
	}
}

function noteAgent(
	agents: ThreadState["agents"],
	{ turnId, agent: report }: Extract<PublishedEvent["event"], { type: "agentChanged" }>,
): ThreadState["agents"] {
	const { threadId } = report;
	return new Map(agents).set(threadId, { turnId: agents.get(threadId)?.turnId ?? turnId, report });
}

/** An answer is recorded later than it is counted, and what sub-agents spend in between is recorded before it. */
function spend(state: ThreadState, spent: SpentSoFar | undefined): ThreadState {
	if (spent === undefined) return state;
	return withOpenTurn({ ...state, spent: growSpent(state.spent, spent.thread) }, (turn) => ({
		...turn,
		spent: { turn: growSpent(turn.spent?.turn, spent.turn), thread: growSpent(turn.spent?.thread, spent.thread) },
	}));
}

/** Turns that were rolled back are neither recalled nor kept by a pin, and take up no space. */
function withoutTurns(state: ThreadState, gone: ReadonlySet<TurnId>): ThreadState {
	const stands = (turnId: TurnId) => !gone.has(turnId);
	return {
		...state,
		turns: state.turns - gone.size,
		// Unknown until the next request.
		percentLeft: undefined,
		pins: state.pins.filter(({ turnId }) => stands(turnId)),
		droppedTurns: state.droppedTurns.filter(stands),
		compactedIn: state.compactedIn.filter(stands),
	};
}

/**
 * Without the item count, which older releases did not write, it is useless for a history that may have grown since.
 */
function readUsage(event: Extract<PublishedEvent["event"], { type: "usage" }>): LastUsage | undefined {
	const { last, window, items, estimated } = event;
	return items === undefined ? undefined : { last, window, items, estimated };
}

function startTurn(state: ThreadState, event: Extract<PublishedEvent["event"], { type: "turnStarted" }>): ThreadState {
	const { turnId, purpose, envelope, clientId, repeats } = event;
	const { model, approval, permissionMode } = envelope;
	const openTurn = {
		...{ turnId, purpose, repeats: repeats !== undefined, unrecordedInput: [] },
		...{ live: undefined, runningTools: [], spent: undefined },
	};
	// A compaction is a turn for clients, but not for the conversation.
	if (purpose === "compaction") return { ...state, openTurn };
	state.turnStarts.push({ turnId, at: state.history.length, by: { provider: envelope.provider, model } });
	state.touchStarts.push({ turnId, at: state.touches.length });
	const cwd = state.cwd ?? envelope.cwd;
	const inputs = clientId === undefined ? [] : [{ turnId, clientId }];
	return { ...state, cwd, turns: state.turns + 1, model, approval, permissionMode, openTurn, inputs };
}

function withInput(
	state: ThreadState,
	event: Extract<PublishedEvent["event"], { type: "itemCompleted" }>,
): ThreadState {
	const { turnId, item } = event;
	if (item.kind !== "userMessage" || item.clientId === undefined) return state;
	return { ...state, inputs: [...state.inputs, { turnId, clientId: item.clientId }] };
}

// The user's messages become history in the order in which they were sent, each with its images. What sub-agents
// report may come without one.
function listUnrecorded({ unrecordedInput }: OpenTurn, items: readonly HistoryItem[]): readonly HistoryItem[] {
	const said = items.filter((item) => item.kind === "userMessage").length;
	const starts = unrecordedInput.flatMap((item, index) => (item.kind === "userMessage" ? [index] : []));
	if (said > 0) return unrecordedInput.slice(starts[said] ?? unrecordedInput.length);
	const told = new Set(items.map((item) => (item.kind === "fragment" ? item.text : undefined)));
	const first = unrecordedInput.findIndex((item) => item.kind !== "fragment" || !told.has(item.text));
	return first === 0 ? unrecordedInput : unrecordedInput.slice(first === -1 ? unrecordedInput.length : first);
}

function dropTouches(touches: Touch[], files: readonly TouchedFile[]): void {
	for (const { path, before, after } of files) {
		const at = touches.findLastIndex((one) => one.path === path && one.before === before && one.after === after);
		const touch = touches[at];
		// Left in its place: reviews count touches.
		if (touch !== undefined) touches[at] = { ...touch, after: before };
	}
}

/** A comment replaces an earlier one on the same hunk; an empty one only removes it. */
function addEdit(edits: readonly UserEdit[], edit: UserEdit): readonly UserEdit[] {
	if (edit.did !== "commented" || edit.hunk === undefined) return [...edits, edit];
	const others = edits.filter(({ did, hunk }) => did !== "commented" || hunk !== edit.hunk);
	return edit.comment === "" ? others : [...others, edit];
}

/** After a history item reports what the user did to the agent's changes, it is no longer untold. */
function tellEdits(state: ThreadState, items: readonly HistoryItem[]): ThreadState {
	const isTold = items.some((item) => item.kind === "fragment" && item.fragment === "user-edits");
	return isTold ? { ...state, untoldEdits: [], untoldRestored: [] } : state;
}

function noteUnread({ unread }: ThreadState, { refs = [] }: ThreadRecord, items: readonly HistoryItem[]): void {
	for (const { path, sha256 } of refs) {
		const [, index, ...inItem] = path;
		const item = items[Number(index)];
		if (item !== undefined) unread.push({ item, path: inItem, sha256 });
	}
}

function changePin(pins: readonly Pin[], { turnId, itemId, text }: PinChanged): readonly Pin[] {
	const others = pins.filter((pin) => pin.turnId !== turnId || pin.itemId !== itemId);
	return text === undefined ? others : [...others, { turnId, itemId, text }];
}

type PinChanged = Extract<PublishedEvent["event"], { type: "pinChanged" }>;

function startItem(turn: OpenTurn, item: Item): OpenTurn {
	if (isCall(item)) return { ...turn, runningTools: [...turn.runningTools, item] };
	if (item.kind !== "agentMessage" && item.kind !== "reasoning") return turn;
	return { ...turn, live: { turnId: turn.turnId, itemId: item.id, itemKind: item.kind, text: item.text } };
}

function completeItem(turn: OpenTurn, item: Item): OpenTurn {
	if (item.kind === "userMessage" && item.messageKind === "plain") {
		if (turn.repeats) return { ...turn, repeats: false };
		return { ...turn, unrecordedInput: [...turn.unrecordedInput, { kind: "userMessage", text: item.text }] };
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
