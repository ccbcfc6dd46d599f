import { effortFor } from "../../../envelope/effort.ts";
import { MAX_IMAGE_SIDE } from "../../../protocol/thread/image.ts";
import type { ModelRequest } from "../../port.ts";
import { acceptedEfforts, type Quirks } from "../refusals/quirks.ts";

/** The part of a Messages request that switches a model's thinking on. */
export interface ThinkingOptions {
	readonly thinking?: object;
	readonly output_config?: { readonly effort: string };
}

/** Tokens for thinking on models that take a number instead of an effort. */
const THINKING_TOKENS: Readonly<Record<string, number>> = {
	minimal: 1_024,
	low: 4_096,
	medium: 10_000,
	high: 16_000,
	xhigh: 24_000,
	max: 24_000,
};

/** From this version on, a model decides how much to think, and refuses a number. */
const ADAPTIVE = 406;
/** The first version that thinks. */
const THINKS = 307;
/** From this version on, system messages may stand between the others. */
const SYSTEM_MESSAGES = 408;

/** Other servers with this API may refuse what only Anthropic's own has. */
export function isAnthropic(baseUrl: string): boolean {
	return /(?:^|\.)anthropic\.com$/.test(new URL(baseUrl).hostname);
}

/** A request with many images may only have smaller ones. */
const MANY_IMAGES = 20;
const SIDE_OF_MANY = 2_000;

/** The most pixels on either side of an image in a request with so many. Older threads may have larger ones. */
export function imageSide(images: number): number {
	return images > MANY_IMAGES ? SIDE_OF_MANY : MAX_IMAGE_SIDE;
}

/** How this model is asked to think. Without a chosen effort, a model that takes a number is not asked to. */
export function thinkingFor(
	{ model, reasoningEffort, reasoningSummary }: ModelRequest,
	quirks: Quirks,
	/** What thinking and answer may take together. */
	most: number,
	/** The last answer made calls without a thought before them. Such a turn cannot go on with thinking. */
	lacksThought = false,
): ThinkingOptions {
	const effort = effortFor(reasoningEffort, acceptedEfforts(quirks));
	const version = claudeVersion(model);
	if (version !== undefined && version >= ADAPTIVE) {
		if (effort === "none") return { thinking: { type: "disabled" } };
		const display = reasoningSummary === "none" ? "omitted" : "summarized";
		const chosen = effort === "minimal" ? "low" : effort;
		return {
			thinking: { type: "adaptive", display },
			...(chosen === undefined ? {} : { output_config: { effort: chosen } }),
		};
	}
	const tokens = THINKING_TOKENS[effort ?? "none"];
	if (tokens === undefined || (version !== undefined && (version < THINKS || lacksThought))) return {};
	return { thinking: { type: "enabled", budget_tokens: Math.min(tokens, Math.floor(most / 2)) } };
}

/** Whether a message in the system role may follow the user's. Other servers' models get labelled user text. */
export function takesSystemMessages(model: string): boolean {
	const version = claudeVersion(model);
	return version !== undefined && version >= SYSTEM_MESSAGES;
}

/** 406 of `claude-opus-4-6-20260205`, 307 of `claude-3-7-sonnet-latest`; undefined for other models. */
function claudeVersion(model: string): number | undefined {
	const found = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
	return found === null ? undefined : 100 * Number(found[1]) + Number(found[2] ?? 0);
}
