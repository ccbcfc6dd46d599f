import type { TouchedFile } from "../../protocol/thread/changes.ts";
import type { Conversation, Restored, ThreadState, Undoable } from "./thread-state.ts";

type Undos = readonly Undoable[];

/** The rollback of a conversation, before it is known whether it belongs to a restore of files. */
export function noteRollback(undos: Undos, state: ThreadState): Undos {
	return [...undos, { before: pickConversation(state) }];
}

/** The last restore of files and the last rollback were one action, which is undone as one. */
export function joinLast(undos: Undos): Undos {
	const [files, rollback] = [undos.at(-2)?.files, undos.at(-1)?.before];
	const isOne = files !== undefined && undos.at(-2)?.before === undefined && rollback !== undefined;
	return isOne ? [...undos.slice(0, -2), { files, before: rollback }] : undos;
}

/** After a restore of files, or after it was undone. */
export function noteFiles(undos: Undos, restored: Restored): Undos {
	if (!restored.redone) return [...undos, { files: restored }];
	return replaceLast(undos, "files", ({ before }) => ({ before }));
}

/** The files that the model has not been told of, after a restore or after it was undone. */
export function noteUntold(files: readonly TouchedFile[], restored: Restored): readonly TouchedFile[] {
	if (!restored.redone) return [...files, ...restored.files];
	// The last restore is undone first, so those of an earlier one stay.
	const undone = new Set(restored.files.map(({ path }) => files.findLast((file) => file.path === path)));
	return files.filter((file) => !undone.has(file));
}

/** The conversation that the next undo brings back. */
export function findConversation(undos: Undos): Conversation | undefined {
	return undos.findLast(({ before }) => before !== undefined)?.before;
}

/**
 * Brings back the conversation before the last rollback. If it lacks turns that are there now, the current one goes to
 * the far end of the list: undoing further gets back to it, so nothing is lost.
 */
export function undoRollback(state: ThreadState, isNowKept: boolean): ThreadState {
	const before = findConversation(state.undos);
	if (before === undefined) return state;
	const left = replaceLast(state.undos, "before", ({ files }) => ({ files }));
	return {
		...state,
		...before,
		// These grow in place, and the list may hold them for something else.
		history: [...before.history],
		turnStarts: [...before.turnStarts],
		told: {},
		lastUsage: undefined,
		undos: isNowKept ? [{ before: pickConversation(state) }, ...left] : left,
	};
}

function replaceLast(undos: Undos, part: keyof Undoable, without: (one: Undoable) => Undoable): Undos {
	const at = undos.findLastIndex((one) => one[part] !== undefined);
	const found = undos[at];
	if (found === undefined) return undos;
	const rest = without(found);
	const isEmpty = rest.files === undefined && rest.before === undefined;
	return [...undos.slice(0, at), ...(isEmpty ? [] : [rest]), ...undos.slice(at + 1)];
}

function pickConversation(state: ThreadState): Conversation {
	const { history, turnStarts, beforeCompaction, lastCompaction, droppedTurns, compactedIn } = state;
	const { pins, turns, percentLeft } = state;
	return {
		...{ history, turnStarts, beforeCompaction, lastCompaction, droppedTurns, compactedIn },
		...{ pins, turns, percentLeft },
	};
}
