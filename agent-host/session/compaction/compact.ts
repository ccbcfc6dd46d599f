import { trimHistory } from "../../compaction/deterministic.ts";
import { contextTokens } from "../../compaction/measure.ts";
import {
	type CompactionPlan,
	countTokensWith,
	cutAfter,
	cutBeforeOpenCalls,
	isWorth,
	planCompaction,
} from "../../compaction/plan-compaction.ts";
import { replaceBySealed } from "../../compaction/remote.ts";
import { type Replacement, replaceBySummary, replaceByWords } from "../../compaction/replacement.ts";
import { addTokens, NO_TOKENS } from "../../history/token-usage.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { asMessage, joinSaid, type Said, say } from "../../protocol/say.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { CompactionRequest, Prepared } from "../thread/compaction-request.ts";
import type { Turn } from "../thread/running-turn.ts";
import { buildRecords, fixedTokens, renderWorld } from "./compaction-records.ts";
import { type Compacting, initialStrategy, produceSummary, type ReplacementSource } from "./produce-summary.ts";

/**
 * Compacts the thread inside a turn. Nothing changes until the one commit at its end, so it can be stopped at any
 * moment. "skipped": it would not free enough to be worth it.
 */
export async function compact(turn: Compacting, ask: CompactionRequest): Promise<"done" | "skipped"> {
	const { thread, envelope, signal } = turn;
	await thread.readHistory();
	if (isOutdated(ask.prepared, thread.state())) return skip(turn, ask, say("preview-outdated"));
	if (cutFor(thread.state(), ask) === undefined) return skip(turn, ask, say("turn-not-in-history"));
	const plan = planFor(turn, ask);
	if (ask.prepared === undefined && !canBeWorthIt(plan)) return "skipped";
	const { compactionId, reason, phase } = ask;
	const { turnId } = envelope.identity;
	const { after, strategy } = ask.prepared?.report ?? { after: estimateTarget(plan), ...initialStrategy(turn, ask) };
	const aim = { compactionId, reason, phase, strategy, before: plan.before, after };
	await thread.commit([{ kind: "event", event: { type: "compactionStarted", turnId, ...aim } }], "unsynced");
	if (ask.prepared?.cost !== undefined) await turn.spending.adopt(ask.prepared.cost);
	const prepared = ask.prepared ?? (await prepareCompaction(turn, plan, ask));
	signal.throwIfAborted();
	if (ask.prepared === undefined && !isWorth(plan, prepared.replacement.items)) return skip(turn, ask);
	// Without a summary by the model that can read it, nothing is gained: the server-side summary stays for that model's
	// return.
	if (reason === "modelSwitch" && prepared.summary === undefined) {
		const why = prepared.fallback === undefined ? [] : [prepared.fallback];
		return skip(turn, ask, joinSaid(say("summary-failed-before"), ...why));
	}
	let isLate = false;
	await thread.commit((state) => {
		isLate = isOutdated(ask.prepared, state);
		return isLate ? [] : buildRecords(turn, ask, planFor(turn, ask), prepared);
	}, "synced");
	return isLate ? skip(turn, ask, say("preview-outdated")) : "done";
}

/** Whether the history was rewritten since: what was prepared would then replace something else. */
export function isOutdated(
	prepared: { readonly history: object } | undefined,
	{ history }: Pick<ThreadState, "history">,
): boolean {
	return prepared !== undefined && prepared.history !== history;
}

/** Records that nothing has changed, and why if the user has to know. */
export async function skip(
	{ thread, envelope }: Pick<Turn, "thread" | "envelope">,
	{ compactionId }: Pick<CompactionRequest, "compactionId">,
	said?: Said,
	code: "compaction" | "hook" = "compaction",
): Promise<"skipped"> {
	const { turnId } = envelope.identity;
	const warning = said && ({ type: "warning", turnId, code, ...asMessage(said) } as const);
	const skipped = { type: "compactionSkipped", turnId, compactionId } as const;
	const events = warning === undefined ? [skipped] : [warning, skipped];
	await thread.commit(
		events.map((event) => ({ kind: "event", event })),
		"unsynced",
	);
	return "skipped";
}

/** How many items to replace, counted from the first; undefined if the last turn of them is no longer there. */
export function cutFor(
	{ history, turnStarts }: Pick<ThreadState, "history" | "turnStarts">,
	{ prepared, through, besideTurn = false }: CompactionRequest,
): number | undefined {
	if (prepared !== undefined) return prepared.plan.covered.length;
	const cut = through === undefined ? history.length : cutAfter(history, turnStarts, through);
	if (!besideTurn || cut === undefined) return cut;
	return Math.min(cut, turnStarts.at(-1)?.at ?? cutBeforeOpenCalls(history));
}

/** Plans a compaction of the current history. */
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
		cut: cutFor(thread.state(), ask) ?? history.length,
		budgets: envelope.identity.budgets,
		fixed,
		world: renderWorld(envelope).fragments.reduce((sum, { text }) => sum + estimateTokens(text), 0),
		incoming: ask.incoming ?? 0,
		counted: contextTokens(history, fixed, lastUsage),
	});
}

/** Makes the replacement: with the configured strategy, and without a model if that fails. Changes nothing. */
export async function prepareCompaction(
	turn: Compacting,
	plan: CompactionPlan,
	ask: CompactionRequest,
): Promise<Prepared> {
	let spent = NO_TOKENS;
	const written = await produceSummary(turn, plan, ask, (usage) => {
		spent = addTokens(spent, usage);
	});
	return { ...toPrepared(plan, written), spent };
}

/** The replacement made from a summary, or without one. */
export function toPrepared(plan: CompactionPlan, written: ReplacementSource): Omit<Prepared, "spent"> {
	const { summary, fallback, notes = [] } = written;
	const replacement = replacementBy(plan, written);
	const after = countTokensWith(plan, replacement.items);
	const report = { ...replacement.report, before: plan.before, after, ...(fallback && reportFallback(fallback)) };
	return { plan, summary, replacement, report, notes, fallback };
}

function reportFallback(said: Said) {
	const { message: fallback, ...fallbackSaid } = asMessage(said);
	return { fallback, fallbackSaid };
}

function replacementBy(plan: CompactionPlan, { summary, sealed }: ReplacementSource): Replacement {
	if (sealed !== undefined) return replaceBySealed(plan, sealed);
	return summary === undefined ? trimHistory(plan) : replaceBySummary(plan, summary);
}

function canBeWorthIt(plan: CompactionPlan): boolean {
	return isWorth(plan, replaceByWords(plan, plan.request).items);
}

function estimateTarget({ around, room, scale }: CompactionPlan): number {
	return Math.round((around + Math.min(room.soft, room.kept + room.summary)) * scale);
}
