import type { CompactionSettings, ModelSettings } from "../protocol/settings/settings.ts";

/** Every budget of a turn, in tokens, derived from one number. There is no second source. */
export interface Budgets {
	readonly window: number;
	/** What is shown and planned with: the window less a margin. */
	readonly effective: number;
	/** Reaching it starts a compaction. */
	readonly autoCompact: number;
	/** Most that the list of skills may take. */
	readonly skills: number;
	/** Most that instruction files may take together. */
	readonly instructions: number;
	/** Most that one tool result may take. */
	readonly toolOutput: number;
	/** Most of the user's own messages that a compaction keeps word for word. */
	readonly keptMessages: number;
	/** Most that one page of recalled history may take. */
	readonly recall: number;
	/** Most that one prompt may take. */
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
