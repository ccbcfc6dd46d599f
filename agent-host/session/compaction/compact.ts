import type { CheckedSummary } from "../../compaction/contract.ts";
import { trimHistory } from "../../compaction/deterministic.ts";
import { historyTokens } from "../../compaction/measure.ts";
import { type CompactionPlan, planCompaction } from "../../compaction/plan.ts";
import { replaceBySummary, replaceByWords } from "../../compaction/replacement.ts";
import { summarise } from "../../compaction/structured.ts";
import { isWorthIt } from "../../compaction/triggers.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { addTokens, NO_TOKENS } from "../../history/usage.ts";
import type { TokenCount } from "../../protocol/events.ts";
import type { Turn } from "../turn.ts";
import type { CompactionAsk, Prepared } from "./ask.ts";
import { fixedTokens, recordsOf, worldOf } from "./records.ts";
import { createSummariser } from "./summariser.ts";

export type Compacting = Pick<Turn, "thread" | "envelope" | "model" | "previous" | "spending" | "ports" | "signal">;

/**
 * Compacts the thread inside a turn. Until the one commit at its end nothing has changed, so it can be stopped at any moment.
 * "skipped": it would not free enough to be worth it, or a port said no.
 */
export async function compact(turn: Compacting, ask: CompactionAsk): Promise<"done" | "skipped"> {
	const { thread, envelope, ports, signal } = turn;
	await thread.readHistory();
	const plan = planFor(turn, ask);
	if (ask.prepared === undefined && !canBeWorthIt(plan)) return "skipped";
	if ((await ports.compaction?.before(ask)) === "stop") return "skipped";
	const { compactionId, reason, phase } = ask;
	const { turnId, compaction } = envelope.identity;
	const after = ask.prepared?.report.after ?? aimOf(plan);
	const aim = { compactionId, reason, phase, strategy: compaction.strategy, before: plan.before, after };
	await thread.commit([{ kind: "event", event: { type: "compactionStarted", turnId, ...aim } }], "unsynced");
	if (ask.prepared?.cost !== undefined) turn.spending.adopt(ask.prepared.cost);
	const prepared = ask.prepared ?? (await prepareCompaction(turn, plan, ask));
	signal.throwIfAborted();
	if (ask.prepared === undefined && !isWorthIt(reason, plan.before, prepared.report.after)) return "skipped";
	await thread.commit(recordsOf(turn, ask, planFor(turn, ask), prepared), "synced");
	await ports.compaction?.after(ask);
	return "done";
}

/** What a compaction would do now, of a history that was read. */
export function planFor({ thread, envelope }: Pick<Turn, "thread" | "envelope">, ask: CompactionAsk): CompactionPlan {
	const { history, turnStarts, pins } = thread.state();
	return planCompaction({
		reason: ask.reason,
		history,
		turnStarts,
		pinned: pins.map(({ text }) => text),
		cut: ask.prepared?.plan.covered.length ?? ask.cut ?? history.length,
		budgets: envelope.identity.budgets,
		fixed: fixedTokens(envelope),
		world: worldOf(envelope).fragments.reduce((sum, { text }) => sum + estimateTokens(text), 0),
		incoming: ask.incoming ?? 0,
	});
}

/** Makes the replacement: by the strategy that is set, and without a model when that fails. Changes nothing. */
export async function prepareCompaction(turn: Compacting, plan: CompactionPlan, ask: CompactionAsk): Promise<Prepared> {
	let spent = NO_TOKENS;
	const written = await askModels(turn, plan, ask, (usage) => {
		spent = addTokens(spent, usage);
	});
	return { ...preparedFrom(plan, written), spent };
}

/** The replacement that a summary makes, or none does. */
export function preparedFrom(plan: CompactionPlan, written: Written): Omit<Prepared, "spent"> {
	const { summary, fallback } = written;
	const replacement = summary === undefined ? trimHistory(plan) : replaceBySummary(plan, summary);
	const after = plan.around + historyTokens(replacement.items);
	const report = { ...replacement.report, before: plan.before, after, ...(fallback === undefined ? {} : { fallback }) };
	return { plan, summary, replacement, report };
}

interface Written {
	readonly summary: CheckedSummary | undefined;
	/** Why there is no summary although one was wanted. */
	readonly fallback: string | undefined;
}

/** A summary by the model before, when a smaller window takes over, else by the turn's own. */
async function askModels(
	turn: Compacting,
	plan: CompactionPlan,
	ask: CompactionAsk,
	spend: (usage: TokenCount) => void,
): Promise<Written> {
	const { envelope, model, previous } = turn;
	if (envelope.identity.compaction.strategy === "deterministic") return { summary: undefined, fallback: undefined };
	const own = { identity: envelope.identity, client: model };
	const models = ask.reason === "downshift" && previous !== undefined ? [previous, own] : [own];
	const words = { prompt: envelope.instructions.compactPrompt, focus: ask.focus };
	let fallback = "";
	for (const one of models) {
		const result = await summarise(plan, words, createSummariser(turn, one, spend));
		if (result.ok && isWorthIt(ask.reason, plan.before, sizeWith(plan, result.summary))) {
			return { summary: result.summary, fallback: undefined };
		}
		fallback = result.ok ? "The summary would not have freed a fifth of the context." : result.reason;
	}
	return { summary: undefined, fallback };
}

function sizeWith(plan: CompactionPlan, summary: CheckedSummary): number {
	return plan.around + historyTokens(replaceBySummary(plan, summary).items);
}

function canBeWorthIt(plan: CompactionPlan): boolean {
	const least = replaceByWords(plan, plan.record.at(-1) ?? "");
	return isWorthIt(plan.reason, plan.before, plan.around + historyTokens(least.items));
}

function aimOf({ around, room }: CompactionPlan): number {
	return around + Math.min(room.soft, room.kept + room.summary);
}
