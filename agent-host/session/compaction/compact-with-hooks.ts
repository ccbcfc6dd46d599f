import { say } from "../../protocol/say.ts";
import { type HookContext, runHooks } from "../hooks/run-hooks.ts";
import type { CompactionRequest } from "../thread/compaction-request.ts";
import { compact, skip } from "./compact.ts";
import type { Compacting } from "./produce-summary.ts";

/** Compacts between the hooks for it. One that blocks leaves the history as it is, and the user reads why. */
export async function compactWithHooks(
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
