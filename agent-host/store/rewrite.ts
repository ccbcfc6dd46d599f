import type { RecordBody } from "./record.ts";
import type { ThreadState } from "./thread-state.ts";

/** History made anew: what the model was told counts no longer, and a compaction can be undone until the next rewrite. */
export function rewrite(state: ThreadState, body: Extract<RecordBody, { kind: "rewrite" }>): ThreadState {
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
