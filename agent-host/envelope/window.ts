import type { CompactionSettings, ModelSettings } from "../protocol/settings/settings.ts";

/** All token budgets of a turn, derived from one number. */
export interface Budgets {
	readonly window: number;
	/** The window minus a margin, used for display and planning. */
	readonly effective: number;
	/** A compaction starts at this size. */
	readonly autoCompact: number;
	/** Limit for the list of skills. */
	readonly skills: number;
	/** Limit for all instruction files together. */
	readonly instructions: number;
	/** Limit for one tool result. */
	readonly toolOutput: number;
	/** Limit for user messages that a compaction keeps word for word. */
	readonly keptMessages: number;
	/** Limit for one page of recalled history. */
	readonly recall: number;
	/** Limit for one prompt. */
	readonly input: number;
}

const SKILLS_PERCENT = 2;
const INSTRUCTIONS_PERCENT = 10;
const TOOL_OUTPUT_PERCENT = 15;
const RECALL_PERCENT = 10;
const INPUT_PERCENT = 60;

export function budgetsFor(
	model: Pick<ModelSettings, "effectivePercent">,
	compaction: Pick<CompactionSettings, "percent" | "limit" | "keepUserPercent">,
	window: number,
): Budgets {
	const effective = percentOf(window, model.effectivePercent);
	const byPercent = percentOf(effective, compaction.percent);
	return {
		window,
		effective,
		autoCompact: compaction.limit > 0 ? Math.min(compaction.limit, byPercent) : byPercent,
		skills: percentOf(effective, SKILLS_PERCENT),
		instructions: percentOf(effective, INSTRUCTIONS_PERCENT),
		toolOutput: percentOf(effective, TOOL_OUTPUT_PERCENT),
		keptMessages: percentOf(effective, compaction.keepUserPercent),
		recall: percentOf(effective, RECALL_PERCENT),
		input: percentOf(effective, INPUT_PERCENT),
	};
}

function percentOf(whole: number, percent: number): number {
	return Math.floor((whole * percent) / 100);
}
