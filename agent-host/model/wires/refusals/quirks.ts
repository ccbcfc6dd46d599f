import { ReasoningEffort } from "../../../protocol/settings/model-values.ts";

/**
 * Something a model at a server does not accept, or needs differently: as narrow as the refusal was. Persisted: never
 * renamed.
 */
export type Quirk = (typeof QUIRKS)[number];

/**
 * Options that a request can omit, by their path in its body, the narrower ones first. `store` is not among them: that
 * nothing is stored at the provider is a promise, not an option.
 */
export const OPTIONS = [
	"reasoning.effort",
	"reasoning.summary",
	"text.verbosity",
	"stream_options",
	"reasoning_effort",
	"reasoning",
	"service_tier",
	"verbosity",
	"text",
	"prompt_cache_key",
	"parallel_tool_calls",
	"include",
	"tool_choice",
	"thinking",
	"output_config",
	"tool_stream",
	"generationConfig.thinkingConfig",
] as const;

export const QUIRKS = [
	...OPTIONS.map((option) => `no-${option}` as const),
	...ReasoningEffort.options.map((effort) => `no-effort-${effort}` as const),
	"no-json_schema",
	"no-json_object",
	"no-tools",
	"tools-with-calls",
	"no-free_form",
	"no-eager_input_streaming",
	"no-compact",
	"no-count",
	"no-developer-role",
	"no-system-role",
	"roles-alternate",
	"answer-after-tools",
	"calls-in-words",
	"reasoning-back",
	"short-call-ids",
	"thought-signatures",
	"text-calls",
	"no-images",
	"small-images",
	"single-calls",
	"output-16k",
	"output-8k",
	"output-4k",
	"output-2k",
] as const;

export type Quirks = ReadonlySet<Quirk>;

/** The body without the options that the server refuses. An option that has no part left is omitted, too. */
export function withoutRefused<B extends object>(body: B, quirks: Quirks): B {
	const refused = OPTIONS.filter((option) => quirks.has(`no-${option}`));
	if (refused.length === 0) return body;
	const kept = Object.entries(body).flatMap(([key, value]: [string, unknown]) => {
		if (refused.some((option) => option === key)) return [];
		const parts = refused.flatMap((option) => (option.startsWith(`${key}.`) ? [option.slice(key.length + 1)] : []));
		if (parts.length === 0 || typeof value !== "object" || value === null) return [[key, value]];
		const left = Object.entries(value).filter(([part]) => !parts.includes(part));
		return left.length === 0 ? [] : [[key, Object.fromEntries(left)]];
	});
	// Only options that are optional in the API have such a quirk.
	return Object.fromEntries(kept) as B;
}

/** The efforts that a model was not seen to refuse. */
export function acceptedEfforts(quirks: Quirks): readonly ReasoningEffort[] {
	return ReasoningEffort.options.filter((effort) => !quirks.has(`no-effort-${effort}`));
}

/** Largest outputs that a model was seen to refuse more than, the largest first. */
export const OUTPUT_LIMITS = {
	"output-16k": 16_000,
	"output-8k": 8_192,
	"output-4k": 4_096,
	"output-2k": 2_048,
} as const satisfies Partial<Record<Quirk, number>>;

/** How much a model may write at most. */
export function limitOutput(most: number, quirks: Quirks): number {
	const limits = Object.entries(OUTPUT_LIMITS).filter(([quirk]) => quirks.has(quirk as Quirk));
	return Math.min(most, ...limits.map(([, limit]) => limit));
}
