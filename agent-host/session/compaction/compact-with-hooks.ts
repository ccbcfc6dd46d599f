import { say } from "../../protocol/say.ts";
import { type HookContext, runHooks } from "../hooks/run-hooks.ts";
import type { CompactionRequest } from "../thread/compaction-request.ts";
import { compact, skip } from "./compact.ts";
import type { Compacting } from "./produce-summary.ts";

/** Compacts between the hooks for it, while others are refused. A hook that blocks leaves the history as it is. */
export async function compactWithHooks(
	turn: Compacting & HookContext,
	ask: CompactionRequest,
): Promise<"done" | "skipped"> {
	const { running } = turn.thread;
	if (running !== undefined) running.isCompacting = true;
	try {
		return await compactBetweenHooks(turn, ask);
	} finally {
		if (running !== undefined) running.isCompacting = false;
	}
}

async function compactBetweenHooks(
	turn: Compacting & HookContext,
	ask: CompactionRequest,
): Promise<"done" | "skipped"> {
	const trigger = ask.reason === "manual" ? "manual" : "auto";
	const { block, stop } = await runHooks(
		turn,
		"PreCompact",
		{ trigger, custom_instructions: ask.focus ?? "" },
		trigger,
	);
	const reason = block ?? stop;
	if (reason !== undefined) return skip(turn, ask, say("compaction-blocked", { reason }), "hook");
	const outcome = await compact(turn, ask);
	if (outcome === "done") await runHooks(turn, "PostCompact", { trigger }, trigger);
	return outcome;
}
