import { HostError } from "../../protocol/errors.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { ThreadEvent } from "../../protocol/thread/events.ts";
import { type ActiveCompaction, withoutTurns } from "../../store/log/active-compactions.ts";
import { listTurns, type ThreadState } from "../../store/records/thread-state.ts";
import { findConversation } from "../../store/records/undo-restore.ts";
import type { Draft, LiveThread } from "./live-thread.ts";
import { pauseGoal } from "./pause-goal.ts";
import { whileIdle } from "./while-idle.ts";

type RollbackUndone = Extract<ThreadEvent, { type: "rollbackUndone" }>;

/**
 * Removes the last turns from the history. What the model was told no longer counts, so the next turn states
 * everything. Compactions made in these turns or after them are undone, so that the history before the turns is
 * restored. A goal that is pursued is paused: its next turn would follow what is gone.
 */
export async function rollBack(thread: LiveThread, turns: number): Promise<void> {
	await whileIdle(thread, async () => thread.commit((await planRollback(thread, turns))({}), "synced"));
}

/**
 * The records of a rollback, while the thread is idle. `restored`: it belongs to the restore of files that is recorded
 * just before.
 */
export async function planRollback(
	thread: LiveThread,
	turns: number,
): Promise<(of: { readonly restored?: true }) => readonly Draft[]> {
	const all = listTurns(thread.state());
	const turnIds = all.slice(-turns);
	if (turnIds.length < turns) throw new HostError("input-refused", say("too-few-turns", { turns: all.length }));
	const records = rewriteWithout(thread, turnIds) ?? (await undoingRecords(thread, turnIds));
	const [rewrite, ...undone] = records;
	return (of) => {
		const event: Extract<ThreadEvent, { type: "rolledBack" }> = { type: "rolledBack", turnIds: [...turnIds], ...of };
		// Before the undone compactions: for a client they end with the turns, and come back with them.
		return [...(rewrite ? [rewrite] : []), { kind: "event", event }, ...undone, ...pausingRecords(thread.state())];
	};
}

function pausingRecords({ goal }: ThreadState): readonly Draft[] {
	if (goal?.state !== "active") return [];
	const paused = pauseGoal(goal, say("goal-paused-rollback"));
	return [{ kind: "event", event: { type: "goalChanged", goal: paused } }];
}

/** What undoing the last rollback would change: the turns that come back, and those that it would take away. */
export function planUndo(state: ThreadState): Pick<RollbackUndone, "turnIds" | "gone"> | undefined {
	const before = findConversation(state.undos);
	if (before === undefined) return undefined;
	const [then, now] = [new Set(listTurns(before)), new Set(listTurns(state))];
	return {
		turnIds: [...then].filter((turnId) => !now.has(turnId)),
		gone: [...now].filter((turnId) => !then.has(turnId)),
	};
}

/** The history up to the first of the turns; undefined if a compaction is in between. */
function rewriteWithout(thread: LiveThread, turnIds: readonly TurnId[]): readonly Draft[] | undefined {
	const { turnStarts, compactedIn } = thread.state();
	const first = turnStarts.find(({ turnId }) => turnId === turnIds[0]);
	if (first === undefined || turnIds.some((turnId) => compactedIn.includes(turnId))) return undefined;
	return [{ kind: "rewrite", reason: "rollback", keep: first.at, items: [] }];
}

async function undoingRecords(thread: LiveThread, turnIds: readonly TurnId[]): Promise<readonly Draft[]> {
	const active = await thread.readActiveCompactions();
	await thread.readHistory();
	const before = withoutTurns(thread.state(), active, turnIds);
	if (before === undefined) {
		throw new HostError("input-refused", say("before-turns-unreadable"));
	}
	const { history, turnStarts, undone } = before;
	return [
		{
			kind: "rewrite",
			reason: "rollback",
			keep: 0,
			items: [...history],
			starts: turnStarts.map((start) => ({ ...start })),
			...(undone.length === 0 ? {} : { undone: undone.length }),
		},
		...undone.flatMap(asUndone),
	];
}

function asUndone({ done }: ActiveCompaction): readonly Draft[] {
	if (done === undefined) return [];
	const { compactionId, reason, phase, strategy, before, after } = done;
	const event = {
		type: "compactionUndone",
		compactionId,
		reason,
		phase,
		strategy,
		before: after,
		after: before,
	} as const;
	return [{ kind: "event", event }];
}
