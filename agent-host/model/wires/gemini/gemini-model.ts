import type { ModelRequest } from "../../port.ts";

/** From this version on, a model takes a level of thinking instead of a number of tokens. */
const LEVELS = 300;
/** The first version that thinks. */
const THINKS = 205;

const LEVEL: Readonly<Record<string, string>> = {
	none: "MINIMAL",
	minimal: "MINIMAL",
	low: "LOW",
	medium: "MEDIUM",
	high: "HIGH",
	xhigh: "HIGH",
	max: "HIGH",
};

/** Tokens for thinking; all models of that generation take these numbers. */
const BUDGET: Readonly<Record<string, number>> = {
	none: 0,
	minimal: 512,
	low: 2_048,
	medium: 8_192,
	high: 16_384,
	xhigh: 24_576,
	max: 24_576,
};

/** How this model is asked to think, and whether its thoughts are shown. */
export function thinkingConfig({ model, reasoningEffort: effort, reasoningSummary }: ModelRequest): object | undefined {
	const version = geminiVersion(model);
	if (version === undefined || version < THINKS) return undefined;
	const chosen = version >= LEVELS ? { thinkingLevel: LEVEL[effort ?? ""] } : { thinkingBudget: BUDGET[effort ?? ""] };
	return {
		...(reasoningSummary === "none" || effort === "none" ? {} : { includeThoughts: true }),
		...(effort === undefined ? {} : chosen),
	};
}

/** Whether the first call of each step needs the model's signature. */
export function needsSignatures(model: string): boolean {
	return (geminiVersion(model) ?? 0) >= LEVELS;
}

/** 205 of `gemini-2.5-pro`, 300 of `gemini-3-pro-preview`; undefined for other models. */
function geminiVersion(model: string): number | undefined {
	const found = /gemini-(\d{1,2})(?:\.(\d{1,2}))?(?!\d)/.exec(model);
	return found === null ? undefined : 100 * Number(found[1]) + Number(found[2] ?? 0);
}
