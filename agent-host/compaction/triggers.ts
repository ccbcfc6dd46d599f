import type { Budgets } from "../envelope/window.ts";
import type { CompactionReason } from "../protocol/thread/compaction.ts";

/**
 * Limit for compactions without a completed step between them, and for those that did not shrink the next request by a
 * fifth.
 */
const MAX_WITHOUT_STEP = 2;
export const MAX_IN_VAIN = 2;
/** An automatic compaction must leave at most this share of the context. */
const LARGEST_REMAINDER = 0.8;

/** Input of the triggers. Budgets come only from the envelope. */
export interface Pressure {
	/** Tokens of the current context; at least as many where that decides nothing. */
	readonly used: number;
	/** Tokens that the next request adds: the prompt and new context. */
	readonly incoming: number;
	readonly budgets: Pick<Budgets, "autoCompact" | "effective">;
	readonly auto: boolean;
	/** Compactions since the last completed step. */
	readonly compactionsSinceStep: number;
	/** Consecutive compactions that did not shrink the following request enough. */
	readonly inVain: number;
	/** The provider refused the last request as too long. */
	readonly full: boolean;
}

/** The model of the previous turn, if it was a different one. */
export interface PreviousModel {
	readonly effective: number;
}

/** The reason to compact before a turn's first request, if there is one. */
export function dueBeforeTurn(pressure: Pressure, previous: PreviousModel | undefined): CompactionReason | undefined {
	if (!isOver(pressure)) return undefined;
	if (pressure.full) return "overflow";
	return previous !== undefined && pressure.budgets.effective < previous.effective ? "downshift" : "limit";
}

/** The reason to compact before the follow-up of a step, if there is one. */
export function dueMidTurn(pressure: Pressure): CompactionReason | undefined {
	return isOver(pressure) ? "limit" : undefined;
}

/** Whether the context may be compacted and sent again after the provider refused it as too long. */
export function mayRescue(pressure: Pick<Pressure, "auto" | "compactionsSinceStep">): boolean {
	return pressure.auto && pressure.compactionsSinceStep < MAX_WITHOUT_STEP;
}

/**
 * A compaction that the user requests, or that saves context before a model switch, is always worth it; an automatic
 * one only if it frees a fifth.
 */
export function isWorthIt(reason: CompactionReason, before: number, after: number): boolean {
	return reason === "manual" || reason === "modelSwitch" || hasShrunk(before, after);
}

/** Whether the second count is smaller by at least a fifth. */
export function hasShrunk(before: number, after: number): boolean {
	return after <= before * LARGEST_REMAINDER;
}

function isOver({ used, incoming, budgets, auto, compactionsSinceStep, inVain }: Pressure): boolean {
	const isLooping = compactionsSinceStep >= MAX_WITHOUT_STEP || inVain >= MAX_IN_VAIN;
	return auto && !isLooping && used + incoming >= budgets.autoCompact;
}
