import { ReasoningEffort } from "../protocol/settings/model-values.ts";

/**
 * The requested effort, or the nearest one that the model has: of two that are equally near the smaller one, since it
 * costs less. Reasoning is switched off only if that was asked for, or if the model has nothing else.
 */
export function effortFor(
	wanted: ReasoningEffort | undefined,
	supported: readonly ReasoningEffort[],
): ReasoningEffort | undefined {
	if (wanted === undefined || supported.length === 0) return undefined;
	const thinking = supported.filter((effort) => effort !== "none");
	const candidates = wanted === "none" || thinking.length === 0 ? supported : thinking;
	return candidates.toSorted((a, b) => distance(a, wanted) - distance(b, wanted) || rank(a) - rank(b))[0];
}

function distance(a: ReasoningEffort, b: ReasoningEffort): number {
	return Math.abs(rank(a) - rank(b));
}

function rank(effort: ReasoningEffort): number {
	return ReasoningEffort.options.indexOf(effort);
}
