import { historyTokens } from "../../compaction/measure.ts";
import type { CompactionPlan } from "../../compaction/plan-compaction.ts";
import { spliceWorld } from "../../compaction/splice.ts";
import { SECTIONS } from "../../context/catalog.ts";
import { stateWorld } from "../../context/diff.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { addTokens, baselineFor, NO_TOKENS, percentLeft } from "../../history/token-usage.ts";
import { buildRequest } from "../../model/request.ts";
import { countFixed, mostFixed } from "../../model/tools-text.ts";
import { ItemId } from "../../protocol/ids.ts";
import { asMessage } from "../../protocol/say.ts";
import type { DurableEvent, TokenCount } from "../../protocol/thread/events.ts";
import { TOOLS } from "../../tools/catalog.ts";
import type { CompactionRequest, Prepared } from "../thread/compaction-request.ts";
import { asContextUpdate } from "../thread/due-fragments.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";

/** One commit: the new history, what the model was told with it, and the report for the user. */
export function buildRecords(
	turn: Pick<Turn, "thread" | "envelope" | "spending" | "ports">,
	ask: CompactionRequest,
	/** The current tail: it may have grown since the replacement was made. */
	{ tail, starts, scale }: CompactionPlan,
	{ replacement, report, spent, notes }: Prepared,
): readonly Draft[] {
	const { envelope, ports } = turn;
	const { turnId } = envelope.identity;
	const { compactionId, reason, phase } = ask;
	const world = renderWorld(envelope);
	const plain = {
		items: [...replacement.items, ...tail],
		starts: starts.map((start) => ({ ...start, at: start.at + replacement.items.length })),
	};
	const isMidTurn = phase === "midTurn";
	const next = isMidTurn ? spliceWorld(plain, world.fragments.map(asHistoryItem)) : plain;
	const size = Math.round((fixedTokens(envelope) + historyTokens(next.items)) * scale);
	const { strategy, before, after } = report;
	const done = { compactionId, reason, phase, strategy, before, after };
	const item = {
		kind: "contextCompaction",
		id: ItemId.parse(ports.newId()),
		compactionId,
		reason,
		phase,
		...report,
	} as const;
	const last = { ...NO_TOKENS, input: size, total: size };
	return [
		{ kind: "rewrite", reason: "compaction", keep: 0, items: [...next.items], starts: [...next.starts] },
		...(isMidTurn ? [eventDraft(asContextUpdate(turnId, world.fragments))] : []),
		...(isMidTurn ? [{ kind: "told", snapshot: world.snapshot } as const] : []),
		eventDraft({ type: "compactionCompleted", turnId, ...done }),
		eventDraft({ type: "itemCompleted", turnId, item }),
		...notes.map((note) => eventDraft({ type: "warning", turnId, code: "compaction", ...asMessage(note) })),
		eventDraft(usageNow(turn, last, spent, next.items.length)),
	];
}

/** All sections, rendered from the envelope. */
export function renderWorld(envelope: Turn["envelope"]): ReturnType<typeof stateWorld> {
	return stateWorld(SECTIONS, envelope);
}

/** Tokens of every request before its history. */
export function fixedTokens(envelope: Turn["envelope"]): number {
	return countFixed(buildRequest(envelope, [], TOOLS));
}

/** At least as many, in a fraction of the time. */
export function mostFixedTokens(envelope: Turn["envelope"]): number {
	return mostFixed(buildRequest(envelope, [], TOOLS));
}

/** The event that reports the context size if no response has. */
export function usageNow(
	{ thread, envelope, spending }: Pick<Turn, "thread" | "envelope"> & Partial<Pick<Turn, "spending">>,
	last: TokenCount,
	spent: TokenCount,
	/** Number of history items that `last` counts. */
	items: number = thread.state().history.length,
): Extract<DurableEvent, { type: "usage" }> {
	const { turnId, budgets } = envelope.identity;
	const baseline = baselineFor(fixedTokens(envelope), envelope.telemetry.usageBaseline);
	return {
		type: "usage",
		turnId,
		last,
		total: addTokens(thread.state().total ?? NO_TOKENS, spent),
		window: budgets.window,
		percentLeft: percentLeft(last.total, budgets.effective, baseline),
		estimated: true,
		baseline,
		items,
		...(spending === undefined ? {} : { spent: spending.soFar() }),
	};
}

function eventDraft(event: DurableEvent): Draft {
	return { kind: "event", event };
}
