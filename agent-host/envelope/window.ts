import type { ModelSettings } from "../protocol/settings.ts";

/** Every budget of a turn, in tokens, derived from one number. There is no second source. */
export interface Budgets {
	readonly window: number;
	readonly effective: number;
	/** Most that one tool result may take. */
	readonly toolOutput: number;
	/** Most that one prompt may take. */
	readonly input: number;
}

const TOOL_OUTPUT_PERCENT = 15;
const INPUT_PERCENT = 60;

export function budgetsFor(settings: Pick<ModelSettings, "effectivePercent">, window: number): Budgets {
	const effective = percentOf(window, settings.effectivePercent);
	return {
		window,
		effective,
		toolOutput: percentOf(effective, TOOL_OUTPUT_PERCENT),
		input: percentOf(effective, INPUT_PERCENT),
	};
}

function percentOf(whole: number, percent: number): number {
	return Math.floor((whole * percent) / 100);
}
