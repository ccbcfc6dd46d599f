import { trimHistory } from "../../compaction/deterministic.ts";
import { contextTokens } from "../../compaction/measure.ts";
import { type CompactionPlan, isWorth, planCompaction, tokensWith } from "../../compaction/plan-compaction.ts";
import { replaceBySealed } from "../../compaction/remote.ts";
import { type Replacement, replaceBySummary, replaceByWords } from "../../compaction/replacement.ts";
import { addTokens, NO_TOKENS } from "../../history/token-usage.ts";
import { estimateTokens } from "../../history/tokens.ts";
import type { CompactionRequest, Prepared } from "../thread/compaction-request.ts";
import type { Turn } from "../thread/running-turn.ts";
import { fixedTokens, recordsOf, worldOf } from "./compaction-records.ts";
import { type Compacting, firstWay, type Written, write } from "./produce-summary.ts";

/**
 * Compacts the thread inside a turn. Until the one commit at its end nothing has changed, so it can be stopped at any moment.
 * "skipped": it would not free enough to be worth it.
 */
export async function compact(turn: Compacting, ask: CompactionRequest): Promise<"done" | "skipped"> {
	const { thread, envelope, signal } = turn;
	await thread.readHistory();
	const plan = planFor(turn, ask);
	if (ask.prepared === undefined && !canBeWorthIt(plan)) return "skipped";
	const { compactionId, reason, phase } = ask;
	const { turnId } = envelope.identity;
	const { after, strategy } = ask.prepared?.report ?? { after: aimOf(plan), ...firstWay(turn, ask) };
	const aim = { compactionId, reason, phase, strategy, before: plan.before, after };
	await thread.commit([{ kind: "event", event: { type: "compactionStarted", turnId, ...aim } }], "unsynced");
	if (ask.prepared?.cost !== undefined) turn.spending.adopt(ask.prepared.cost);
	const prepared = ask.prepared ?? (await prepareCompaction(turn, plan, ask));
	signal.throwIfAborted();
	if (ask.prepared === undefined && !isWorth(plan, prepared.replacement.items)) return "skipped";
	// Without a summary by the model that can read it, nothing is gained: what its server keeps stays for its return.
	if (reason === "modelSwitch" && prepared.summary === undefined) {
		const message = `The previous model could not summarize the conversation: ${prepared.report.fallback}`;
		await thread.commit(
			[{ kind: "event", event: { type: "warning", turnId, code: "compaction", message } }],
			"unsynced",
		);
		return "skipped";
	}
	await thread.commit(recordsOf(turn, ask, planFor(turn, ask), prepared), "synced");
	return "done";
}

/** What a compaction would do now, of a history that was read. */
export function planFor(
	{ thread, envelope }: Pick<Turn, "thread" | "envelope">,
	ask: CompactionRequest,
): CompactionPlan {
	const { history, turnStarts, droppedTurns, pins, lastUsage } = thread.state();
	const fixed = fixedTokens(envelope);
	return planCompaction({
		reason: ask.reason,
		history,
		turnStarts,
		dropped: droppedTurns.length,
		pinned: pins.map(({ text }) => text),
		cut: ask.prepared?.plan.covered.length ?? ask.cut ?? history.length,
		budgets: envelope.identity.budgets,
		fixed,
		world: worldOf(envelope).fragments.reduce((sum, { text }) => sum + estimateTokens(text), 0),
		incoming: ask.incoming ?? 0,
		counted: contextTokens(history, fixed, lastUsage),
	});
}

/** Makes the replacement: by the strategy that is set, and without a model when that fails. Changes nothing. */
export async function prepareCompaction(
	turn: Compacting,
	plan: CompactionPlan,
	ask: CompactionRequest,
): Promise<Prepared> {
	let spent = NO_TOKENS;
	const written = await write(turn, plan, ask, (usage) => {
		spent = addTokens(spent, usage);
	});
	return { ...preparedFrom(plan, written), spent };
}

/** The replacement that a summary makes, or none does. */
export function preparedFrom(plan: CompactionPlan, written: Written): Omit<Prepared, "spent"> {
	const { summary, fallback, notes = [] } = written;
	const replacement = replacementBy(plan, written);
	const after = tokensWith(plan, replacement.items);
	const report = { ...replacement.report, before: plan.before, after, ...(fallback === undefined ? {} : { fallback }) };
	return { plan, summary, replacement, report, notes };
}

function replacementBy(plan: CompactionPlan, { summary, sealed }: Written): Replacement {
	if (sealed !== undefined) return replaceBySealed(plan, sealed);
	return summary === undefined ? trimHistory(plan) : replaceBySummary(plan, summary);
}

function canBeWorthIt(plan: CompactionPlan): boolean {
	return isWorth(plan, replaceByWords(plan, plan.request).items);
}

function aimOf({ around, room, scale }: CompactionPlan): number {
	return Math.round((around + Math.min(room.soft, room.kept + room.summary)) * scale);
}
