import type { DurableEvent } from "../../protocol/thread/events.ts";
import { compactWithHooks } from "../compaction/compact-with-hooks.ts";
import type { Compacting } from "../compaction/produce-summary.ts";
import type { HookContext } from "../hooks/run-hooks.ts";
import type { CompactionRequest } from "../thread/compaction-request.ts";
import { HOST_ENDED } from "../thread/running-turn.ts";
import { describeFailure } from "./run-turn.ts";

/** Runs a compaction as a separate turn, and records its end. If stopped or failed, the history stays as it was. */
export async function runCompaction(turn: Compacting & HookContext, ask: CompactionRequest): Promise<void> {
	const { thread, envelope, ports, signal } = turn;
	const ended = { type: "turnCompleted", turnId: envelope.identity.turnId } as const;
	let event: DurableEvent;
	try {
		await compactWithHooks(turn, ask);
		event = { ...ended, status: "completed", spent: turn.spending.soFar() };
	} catch (error) {
		const died = signal.reason === HOST_ENDED ? { error: HOST_ENDED } : {};
		event = signal.aborted
			? { ...ended, status: "interrupted", ...died, spent: turn.spending.soFar() }
			: { ...ended, status: "failed", error: describeFailure(error), spent: turn.spending.soFar() };
		if (!signal.aborted) ports.log("error", `A compaction failed: ${error instanceof Error ? error.stack : error}`);
	}
	try {
		await thread.commit([{ kind: "event", event }], "synced");
	} catch (unsaved) {
		ports.log("error", `The end of a compaction could not be recorded: ${unsaved}`);
		ports.publish(envelope.identity.threadId, { at: ports.now(), event });
	}
}
