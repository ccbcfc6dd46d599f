import { isMutable, type MutableItem, withMute } from "../../history/mute-item.ts";
import type { RecordBody } from "./record.ts";
import type { Compacted, ThreadState } from "./thread-state.ts";
import { noteRollback } from "./undo-restore.ts";

type Histories = Pick<ThreadState, "history" | "turnStarts" | "droppedTurns">;

/**
 * A rewritten history: what the model was told no longer counts, and the last compaction can be undone as long as its
 * place is known.
 */
export function rewrite(state: ThreadState, body: Extract<RecordBody, { kind: "rewrite" }>): ThreadState {
	const { history, turnStarts, droppedTurns, openTurn } = state;
	const next = { ...state, told: {}, lastUsage: undefined };
	if (body.reason === "undo") {
		if (state.beforeCompaction === undefined) return state;
		const { lastUsage } = state.beforeCompaction;
		return { ...next, ...undoCompaction(state, state.beforeCompaction), lastUsage, beforeCompaction: undefined };
	}
	const items = [...history.slice(0, body.keep), ...body.items];
	const kept = [...turnStarts.filter((start) => start.at < body.keep), ...(body.starts ?? [])];
	const stays = new Set(kept.map(({ turnId }) => turnId));
	const gone = turnStarts.map(({ turnId }) => turnId).filter((turnId) => !stays.has(turnId));
	if (body.reason === "rollback") {
		return {
			...next,
			history: items,
			turnStarts: kept,
			// Turns that a compaction had replaced may be back.
			droppedTurns: droppedTurns.filter((turnId) => !stays.has(turnId)),
			beforeCompaction: keepUndoable(state, body.keep, body.undone),
			undos: noteRollback(state.undos, state),
		};
	}
	return {
		...next,
		history: items,
		turnStarts: kept,
		droppedTurns: [...droppedTurns, ...gone],
		compactedIn: [...state.compactedIn, ...(openTurn?.purpose === undefined && openTurn ? [openTurn.turnId] : [])],
		beforeCompaction: { history, turnStarts, droppedTurns, lastUsage: state.lastUsage, replacement: items.length },
	};
}

/**
 * A history with one item muted, or with its text again. Undoing a compaction brings items back as they were before it.
 */
export function mute(state: ThreadState, { at, line }: Extract<RecordBody, { kind: "mute" }>): ThreadState {
	const item = state.history[at];
	if (!isMutable(item)) return state;
	const changed = withMute(item, line);
	moveUnread(state, item, changed);
	return { ...state, told: {}, lastUsage: undefined, history: state.history.with(at, changed) };
}

/** A text that is still in a blob is read into the field where it is now. */
function moveUnread({ unread }: ThreadState, item: MutableItem, changed: MutableItem): void {
	const field = changed.muted !== undefined ? "muted" : changed.kind === "toolOutput" ? "output" : "text";
	for (const one of unread.filter((other) => other.item === item)) {
		unread.push({ ...one, item: changed, path: [field] });
	}
}

/** Puts what a compaction replaced before what came since. */
export function undoCompaction({ history, turnStarts }: Histories, before: Compacted): Histories {
	const shift = before.history.length - before.replacement;
	const known = new Set(before.turnStarts.map(({ turnId }) => turnId));
	const since = turnStarts.filter(({ turnId }) => !known.has(turnId));
	return {
		history: [...before.history, ...history.slice(before.replacement)],
		turnStarts: [...before.turnStarts, ...since.map((start) => ({ ...start, at: start.at + shift }))],
		droppedTurns: before.droppedTurns,
	};
}

/** Turns after a compaction can be rolled back and the compaction still be undone; turns that it kept cannot. */
function keepUndoable({ beforeCompaction }: ThreadState, keep: number, undone = 0): Compacted | undefined {
	return undone === 0 && keep >= (beforeCompaction?.replacement ?? 0) ? beforeCompaction : undefined;
}
