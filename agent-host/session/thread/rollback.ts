import { HostError } from "../../protocol/errors.ts";
import type { LiveThread } from "./live-thread.ts";

/** Takes the last turns out of the history. What the model was told counts no longer, so the next turn states it all. */
export async function rollBack(thread: LiveThread, turns: number): Promise<void> {
	if (thread.refusal !== undefined) throw thread.refusal;
	if (thread.running !== undefined) {
		throw new HostError("turn-in-progress", "A turn is running in this thread. Stop it before going back.");
	}
	const { turnStarts, turns: all } = thread.state();
	const dropped = turnStarts.slice(-turns);
	const first = dropped[0];
	if (first === undefined || dropped.length < turns) {
		const why =
			turns > all
				? `The thread has only ${all} turns.`
				: "Turns from before a compaction can only be taken back after it is undone.";
		throw new HostError("input-refused", why);
	}
	await thread.commit(
		[
			{ kind: "rewrite", reason: "rollback", keep: first.at, items: [] },
			{ kind: "event", event: { type: "rolledBack", turnIds: dropped.map(({ turnId }) => turnId) } },
		],
		"synced",
	);
}
