import { SECTIONS } from "../context/catalog.ts";
import type { Budgets } from "../envelope/window.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { CompactionReason } from "../protocol/thread/compaction.ts";
import { type UsersWords, wordsIn } from "./compaction-words.ts";
import { CONTRADICTION, historyTokens } from "./measure.ts";
import { isWorthIt } from "./triggers.ts";

export interface TurnStart {
	readonly turnId: TurnId;
	readonly at: number;
}

/** What there is to compact, and for whom. */
export interface Situation {
	readonly reason: CompactionReason;
	readonly history: readonly HistoryItem[];
	readonly turnStarts: readonly TurnStart[];
	/** Turns that earlier compactions have replaced. */
	readonly dropped: number;
	/** Prompts that stay word for word. */
	readonly pinned: readonly string[];
	/** How many items to replace, from the first on. */
	readonly cut: number;
	readonly budgets: Budgets;
	/** Tokens of every request before its history: instructions and tools. */
	readonly fixed: number;
	/** Tokens of the world as it will be stated again. */
	readonly world: number;
	/** Tokens of the prompt that waits to be sent. */
	readonly incoming: number;
	/** Tokens of the context as the provider counts it: the window, when it was refused as too long. */
	readonly counted: number;
}

export interface CompactionPlan extends UsersWords {
	readonly reason: CompactionReason;
	readonly covered: readonly HistoryItem[];
	/** What comes after it and stays, without what it said of the world: that is stated anew. */
	readonly tail: readonly HistoryItem[];
	/** Where turns begin in the tail. */
	readonly starts: readonly TurnStart[];
	/** How many turns are replaced, and with those that were before. */
	readonly turns: number;
	readonly allTurns: number;
	readonly pinned: readonly string[];
	readonly room: Room;
	/** Tokens of the next request as things are, as the provider counts. */
	readonly before: number;
	/** Tokens of what no compaction changes in it, by our own estimate. */
	readonly around: number;
	/** How many times our estimate the provider counts. */
	readonly scale: number;
}

/** What the replacement may take, in tokens. */
export interface Room {
	/** As much as leaves the context below its limit. */
	readonly soft: number;
	/** As much as the window can hold at all; for the active request and nothing else. */
	readonly hard: number;
	/** For the user's own messages. */
	readonly kept: number;
	/** For what a model writes. */
	readonly summary: number;
}

/** A summary is asked to have about this many tokens. */
export const SUMMARY_TOKENS = 4_000;
const SUMMARY_SHARE = 0.25;
/** Room that is planned with even where the limit leaves none, so that there is something to send. */
const LEAST_ROOM = 600;

const WORLD_KINDS: ReadonlySet<string> = new Set(SECTIONS.flatMap(({ kinds }) => kinds));

export function planCompaction(situation: Situation): CompactionPlan {
	const { history, turnStarts, reason, pinned, cut } = situation;
	const covered = history.slice(0, cut);
	const tail = history.slice(cut).filter((item) => !statesWorld(item));
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
			.map(({ turnId, at }) => ({ turnId, at: history.slice(cut, at).filter((item) => !statesWorld(item)).length })),
		turns,
		allTurns: situation.dropped + turns,
		...wordsIn(
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

/** The items up to the end of a turn; undefined when the turn is not in the history. */
export function cutAfter(
	history: readonly HistoryItem[],
	turnStarts: readonly TurnStart[],
	turnId: TurnId,
): number | undefined {
	const index = turnStarts.findIndex((start) => start.turnId === turnId);
	return index < 0 ? undefined : (turnStarts[index + 1]?.at ?? history.length);
}

/** The words of a section: stated again from their source after a compaction, never carried through it. */
export function statesWorld(item: HistoryItem): boolean {
	return item.kind === "fragment" && WORLD_KINDS.has(item.fragment);
}

/** Tokens of the next request with these items in the place of what is covered, on the scale of `before`. */
export function tokensWith({ around, scale }: CompactionPlan, items: readonly HistoryItem[]): number {
	return Math.round((around + historyTokens(items)) * scale);
}

/** Whether these items are worth it. Where we see next to nothing of what the provider counts, only trying can tell. */
export function isWorth(plan: CompactionPlan, items: readonly HistoryItem[]): boolean {
	return plan.scale > CONTRADICTION || isWorthIt(plan.reason, plan.before, tokensWith(plan, items));
}

function roomFor(
	{ budgets, reason }: Situation,
	{ seen, around, scale }: { readonly seen: number; readonly around: number; readonly scale: number },
): Room {
	const counted = Math.floor(budgets.autoCompact / (scale > CONTRADICTION ? 1 : scale));
	// A provider that says "too long" below the limit has a smaller window than we believe.
	const limit = reason === "overflow" ? Math.min(counted, Math.floor(seen / 2)) : counted;
	const soft = Math.max(LEAST_ROOM, limit - around);
	return {
		soft,
		hard: Math.max(soft, budgets.effective - around),
		kept: Math.min(budgets.keptMessages, Math.floor(soft / 2)),
		summary: Math.min(SUMMARY_TOKENS * 2, Math.max(LEAST_ROOM / 2, Math.floor(soft * SUMMARY_SHARE))),
	};
}
