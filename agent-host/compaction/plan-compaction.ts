import { SECTIONS } from "../context/catalog.ts";
import type { Budgets } from "../envelope/window.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { CompactionReason } from "../protocol/thread/compaction.ts";
import { readUserMessages, type UserMessages } from "./compaction-words.ts";
import { CONTRADICTION, historyTokens, isSaid } from "./measure.ts";
import { isWorthIt } from "./triggers.ts";

export interface TurnStart {
	readonly turnId: TurnId;
	readonly at: number;
}

/** What is compacted, and for which model. */
export interface Situation {
	readonly reason: CompactionReason;
	readonly history: readonly HistoryItem[];
	readonly turnStarts: readonly TurnStart[];
	/** Number of turns that earlier compactions replaced. */
	readonly dropped: number;
	/** Prompts that are kept word for word. */
	readonly pinned: readonly string[];
	/** How many items to replace, counted from the first. */
	readonly cut: number;
	readonly budgets: Budgets;
	/** Tokens of every request before its history: instructions and tools. */
	readonly fixed: number;
	/** Tokens of the world sections when they are stated again. */
	readonly world: number;
	/** Tokens of the prompt that is about to be sent. */
	readonly incoming: number;
	/** Tokens of the context as the provider counts it; the whole window if it was refused as too long. */
	readonly counted: number;
}

export interface CompactionPlan extends UserMessages {
	readonly reason: CompactionReason;
	readonly covered: readonly HistoryItem[];
	/** The items after the cut, which are kept, without world sections: those are stated again. */
	readonly tail: readonly HistoryItem[];
	/** Indexes in the tail at which turns begin. */
	readonly starts: readonly TurnStart[];
	/** Number of replaced turns, including those that earlier compactions replaced. */
	readonly turns: number;
	readonly allTurns: number;
	readonly pinned: readonly string[];
	readonly room: Room;
	/** Tokens of the next request without a compaction, as the provider counts. */
	readonly before: number;
	/** Tokens of the part that a compaction does not change, by our estimate. */
	readonly around: number;
	/** The provider's count divided by our estimate. */
	readonly scale: number;
}

/** Token limits of the replacement. */
export interface Room {
	/** Keeps the context below its limit. */
	readonly soft: number;
	/** Fills the window; only for the active request. */
	readonly hard: number;
	/** For the user's messages. */
	readonly kept: number;
	/** For the model's summary. */
	readonly summary: number;
}

/** A summary is asked to have about this many tokens. */
export const SUMMARY_TOKENS = 4_000;
const SUMMARY_SHARE = 0.25;
/** Planned with even if the limit leaves no room, so that there is something to send. */
const LEAST_ROOM = 600;

const WORLD_KINDS: ReadonlySet<string> = new Set(SECTIONS.flatMap(({ kinds }) => kinds));

export function planCompaction(situation: Situation): CompactionPlan {
	const { history, turnStarts, reason, pinned, cut } = situation;
	const covered = history.slice(0, cut);
	const tail = history.slice(cut).filter((item) => !isWorldText(item));
	const turns = turnStarts.filter(({ at }) => at < cut).length;
	const around = situation.fixed + situation.world + situation.incoming + historyTokens(tail);
	const own = situation.fixed + historyTokens(history);
	const seen = own + situation.incoming;
	const scale = Math.max(1, situation.counted / own);
	return {
		reason,
		covered,
		tail,
		starts: turnStarts
			.filter(({ at }) => at >= cut)
			.map(({ turnId, at }) => ({ turnId, at: history.slice(cut, at).filter((item) => !isWorldText(item)).length })),
		turns,
		allTurns: situation.dropped + turns,
		...readUserMessages(
			covered,
			turnStarts.filter(({ at }) => at < cut).map(({ at }) => at),
		),
		pinned,
		room: roomFor(situation, { seen, around, scale }),
		before: Math.max(seen, situation.counted + situation.incoming),
		around,
		scale,
	};
}

/** The number of items up to the end of a turn; undefined if the turn is not in the history. */
export function cutAfter(
	history: readonly HistoryItem[],
	turnStarts: readonly TurnStart[],
	turnId: TurnId,
): number | undefined {
	const index = turnStarts.findIndex((start) => start.turnId === turnId);
	return index < 0 ? undefined : (turnStarts[index + 1]?.at ?? history.length);
}

/** The number of items before the last answer if it waits for a result of its calls; otherwise all. */
export function cutBeforeOpenCalls(history: readonly HistoryItem[]): number {
	const end = history.findLastIndex(isSaid) + 1;
	const start = history.findLastIndex((item, index) => index < end && !isSaid(item)) + 1;
	const results = history.slice(end).flatMap((item) => (item.kind === "toolOutput" ? [item.callId] : []));
	const isOpen = (item: HistoryItem) => item.kind === "toolCall" && !results.includes(item.callId);
	return history.slice(start, end).some(isOpen) ? start : history.length;
}

/** Text of a section: stated again from its source after a compaction, never carried through it. */
export function isWorldText(item: HistoryItem): boolean {
	return item.kind === "fragment" && WORLD_KINDS.has(item.fragment);
}

/** Tokens of the next request with these items in place of the covered ones, on the scale of `before`. */
export function countTokensWith({ around, scale }: CompactionPlan, items: readonly HistoryItem[]): number {
	return Math.round((around + historyTokens(items)) * scale);
}

/**
 * Whether the compaction is worth it with these items. If our estimate covers almost nothing of the provider's count,
 * only trying can tell.
 */
export function isWorth(plan: CompactionPlan, items: readonly HistoryItem[]): boolean {
	return plan.scale > CONTRADICTION || isWorthIt(plan.reason, plan.before, countTokensWith(plan, items));
}

function roomFor(
	{ budgets, reason }: Situation,
	{ seen, around, scale }: { readonly seen: number; readonly around: number; readonly scale: number },
): Room {
	const counted = Math.floor(budgets.autoCompact / (scale > CONTRADICTION ? 1 : scale));
	// If a provider says "too long" below the limit, its window is smaller than we believe.
	const limit = reason === "overflow" ? Math.min(counted, Math.floor(seen / 2)) : counted;
	const soft = Math.max(LEAST_ROOM, limit - around);
	return {
		soft,
		hard: Math.max(soft, budgets.effective - around),
		kept: Math.min(budgets.keptMessages, Math.floor(soft / 2)),
		summary: Math.min(SUMMARY_TOKENS * 2, Math.max(LEAST_ROOM / 2, Math.floor(soft * SUMMARY_SHARE))),
	};
}
