import { HostError } from "../../protocol/errors.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import { type ActiveCompaction, withoutTurns } from "../../store/log/active-compactions.ts";
import { listTurns } from "../../store/records/thread-state.ts";
import type { Draft, LiveThread } from "./live-thread.ts";

/**
 * Removes the last turns from the history. What the model was told no longer counts, so the next turn states
 * everything. Compactions made in these turns or after them are undone, so that the history before the turns is
 * restored.
 */
export async function rollBack(thread: LiveThread, turns: number): Promise<void> {
	if (thread.refusal !== undefined) throw thread.refusal;
	if (thread.running !== undefined) {
		throw new HostError("turn-in-progress", say("turn-runs-before-back"));
	}
	const all = listTurns(thread.state());
	const turnIds = all.slice(-turns);
	if (turnIds.length < turns) throw new HostError("input-refused", say("too-few-turns", { turns: all.length }));
	const records = rewriteWithout(thread, turnIds) ?? (await undoingRecords(thread, turnIds));
	await thread.commit([...records, { kind: "event", event: { type: "rolledBack", turnIds: [...turnIds] } }], "synced");
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
