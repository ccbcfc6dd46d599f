import type { ResolvedModel } from "../envelope/resolve-envelope.ts";
import { findFacts } from "../model-facts/find-facts.ts";
import { ReasoningEffort } from "../protocol/settings/model-values.ts";
import type { ModelSettings } from "../protocol/settings/settings.ts";
import type { KnownModel } from "./memory.ts";

type Known = Pick<ResolvedModel, "family" | "efforts" | "abilities">;

/** OpenAI's models from 5.6 on, which are newer than the table. */
const NEWER = /^gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)(?![\d])/;
const NEWER_EFFORTS: readonly ReasoningEffort[] = ["none", "low", "medium", "high", "xhigh", "max"];

/** The smallest window of OpenAI's reasoning models, a careful guess for newer ones. */
const NEWER_WINDOW = 400_000;

/** Tokens assumed for a model that nobody knows; small enough for most local servers. */
const UNKNOWN_WINDOW = 32_000;

/**
 * What is known about a model, each field from who knows it best: the server's own word, the table, a careful guess. For
 * an unknown model every effort is tried, and refusals teach which it has.
 */
export function findAbilities(
	{ provider, id }: Pick<ModelSettings, "provider" | "id">,
	baseUrl: string | undefined,
	{ images }: Pick<KnownModel, "images">,
): Known {
	if (provider === "demo") return { family: "demo", efforts: [], abilities: { images: false } };
	const facts = findFacts(id, baseUrl);
	const isNewer = NEWER.test(id);
	return {
		family: nameFamily(id),
		efforts: facts === undefined ? (isNewer ? NEWER_EFFORTS : ReasoningEffort.options) : effortsIn(facts),
		abilities: { images: images ?? facts?.images ?? (isNewer || SEES.test(id)) },
	};
}

/** Families that see, in case the table lacks one of them; a server that refuses an image teaches otherwise. */
const SEES =
	/^(?:[\w.-]{1,60}\/)?(?:gemini-|claude-|gemma-?[3-9]|pixtral|llava|llama-?4)|[-_.\d](?:vl|vision)(?![a-z])/i;

/** The window that the table has for a model. */
export function tableWindow(id: string, baseUrl: string | undefined): number | undefined {
	return findFacts(id, baseUrl)?.window;
}

export function guessWindow(id: string): number {
	return NEWER.test(id) ? NEWER_WINDOW : UNKNOWN_WINDOW;
}

/** Whether a model accepts reasoning options although no effort is set; others may refuse them. */
export function isReasoner(id: string): boolean {
	return NEWER.test(id) || (/^(?:gpt-|o\d)/.test(id) && findFacts(id)?.reasoning === true);
}

/** Whether a model reasons, if anybody has said so. */
export function isKnownReasoner(id: string, baseUrl: string | undefined): boolean | undefined {
	return NEWER.test(id) || findFacts(id, baseUrl)?.reasoning;
}

/** Whether a model is trained to write patches as plain text. */
export function writesFreeForm(id: string): boolean {
	return /^gpt-(?:[5-9]|\d\d)(?!\d)/.test(id);
}

function effortsIn({ reasoning, efforts }: { readonly reasoning: boolean; readonly efforts?: readonly string[] }) {
	if (!reasoning) return [];
	const listed = ReasoningEffort.options.filter((effort) => efforts?.includes(effort));
	return listed.length === 0 ? ReasoningEffort.options : listed;
}

function nameFamily(id: string): string {
	return /^gpt-\d+/.exec(id)?.[0] ?? (/^o\d/.test(id) ? "o" : id);
}
