import type { Budgets } from "../envelope/window.ts";
import type { CompactionReason } from "../protocol/thread/compaction.ts";

/** Compactions in a row that no completed step separates, or after which the next request was not smaller by a fifth. */
const MAX_WITHOUT_STEP = 2;
export const MAX_IN_VAIN = 2;
/** A compaction by itself leaves at most this share of what was there: it shrinks the context by a fifth. */
const LARGEST_REMAINDER = 0.8;

/** What a trigger may look at. Budgets come from the envelope and nowhere else. */
export interface Pressure {
	/** Tokens of the context as it is. */
	readonly used: number;
	/** Tokens that the next request adds: the prompt and what the model is to be told. */
	readonly incoming: number;
	readonly budgets: Pick<Budgets, "autoCompact" | "effective">;
	readonly auto: boolean;
	/** Compactions since the last completed step. */
	readonly withoutStep: number;
	/** Compactions in a row that were in vain, as the requests after them were counted. */
	readonly inVain: number;
	/** The provider refused the last request as too long. */
	readonly full: boolean;
}

/** The model of the turn before, when it was another one. */
export interface PreviousModel {
	readonly effective: number;
}

/** Why to compact before a turn's first request, or undefined. */
export function dueBeforeTurn(pressure: Pressure, previous: PreviousModel | undefined): CompactionReason | undefined {
	if (!isOver(pressure)) return undefined;
	if (pressure.full) return "overflow";
	return previous !== undefined && pressure.budgets.effective < previous.effective ? "downshift" : "limit";
}

/** Why to compact before the follow-up of a step, or undefined. */
export function dueMidTurn(pressure: Pressure): CompactionReason | undefined {
	return isOver(pressure) ? "limit" : undefined;
}

/** Whether a context the provider refused as too long may be compacted and sent again. */
export function mayRescue(pressure: Pick<Pressure, "auto" | "withoutStep">): boolean {
	return pressure.auto && pressure.withoutStep < MAX_WITHOUT_STEP;
}

/** One that the user asks for, or that saves something from being lost to another model, always is; an automatic one only when it frees a fifth. */
export function isWorthIt(reason: CompactionReason, before: number, after: number): boolean {
	return reason === "manual" || reason === "modelSwitch" || hasShrunk(before, after);
}

/** Whether one of two counts on one scale is smaller than the other by a fifth. */
export function hasShrunk(before: number, after: number): boolean {
	return after <= before * LARGEST_REMAINDER;
}

function isOver({ used, incoming, budgets, auto, withoutStep, inVain }: Pressure): boolean {
	const isLooping = withoutStep >= MAX_WITHOUT_STEP || inVain >= MAX_IN_VAIN;
	return auto && !isLooping && used + incoming >= budgets.autoCompact;
}
