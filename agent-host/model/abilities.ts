import type { ResolvedModel } from "../envelope/resolve-envelope.ts";
import { type ModelSettings, ReasoningEffort } from "../protocol/settings/settings.ts";

type Known = Pick<ResolvedModel, "family" | "efforts" | "abilities">;

const SEES = { images: true };
const READS = { images: false };

// Longest prefix first.
const FAMILIES: readonly (readonly [prefix: string, known: Known])[] = [
	["gpt-5", { family: "gpt-5", efforts: ["minimal", "low", "medium", "high"], abilities: SEES }],
	["gpt-4.1", { family: "gpt-4", efforts: [], abilities: SEES }],
	["gpt-4o", { family: "gpt-4", efforts: [], abilities: SEES }],
	["o3", { family: "o", efforts: ["low", "medium", "high"], abilities: SEES }],
	["o4", { family: "o", efforts: ["low", "medium", "high"], abilities: SEES }],
];

/**
 * What is known about a model: family, reasoning efforts and input types. For an unknown model every effort is tried.
 */
export function findAbilities(settings: ModelSettings): Known {
	if (settings.provider === "demo") return { family: "demo", efforts: [], abilities: READS };
	const known = FAMILIES.find(([prefix]) => settings.id.startsWith(prefix))?.[1];
	return known ?? { family: settings.id, efforts: ReasoningEffort.options, abilities: READS };
}
