import * as z from "zod";

export const ReasoningEffort = z.enum(["none", "minimal", "low", "medium", "high", "max"]);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

/** Only http and https reach a network client; everything else is refused where it enters. */
const BaseUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" });

export const ModelSettings = z.object({
	provider: z.enum(["demo", "openai", "compatible"]).default("demo"),
	wire: z.enum(["responses"]).default("responses"),
	/** Where `compatible` sends its requests, such as `http://127.0.0.1:1234/v1`. */
	baseUrl: z.union([BaseUrl, z.literal("")]).default(""),
	id: z.string().max(200).default(""),
	/** Tokens; 0 means: what the catalogue of models says. */
	contextWindow: z.int().min(0).max(100_000_000).default(0),
	effectivePercent: z.int().min(1).max(100).default(95),
	reasoningEffort: ReasoningEffort.optional(),
	reasoningSummary: z.enum(["auto", "concise", "detailed", "none"]).default("auto"),
	serviceTier: z.enum(["auto", "default", "flex", "fast"]).default("auto"),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

export const RetrySettings = z.object({
	/** Requests for one step, the first one included. */
	attempts: z.int().min(1).max(10).default(5),
	/** Silence of the model, in milliseconds, after which a request is given up. */
	idleMs: z.int().min(50).max(3_600_000).default(90_000),
	/** First pause between two attempts; it doubles each time. */
	baseDelayMs: z.int().min(1).max(60_000).default(400),
});

export const Settings = z.object({
	model: ModelSettings.prefault({}),
	retry: RetrySettings.prefault({}),
});
export type Settings = z.infer<typeof Settings>;

/** What a client may send: every key optional, nothing filled in, so that a partial value stays partial. */
export const PartialSettings = z.object({
	model: withoutDefaults(ModelSettings).optional(),
	retry: withoutDefaults(RetrySettings).optional(),
});
export type PartialSettings = z.infer<typeof PartialSettings>;

/** Lays `change` over `base`, group by group; the result is parsed whole, so it is valid or refused as one. */
export function mergeSettings(base: Settings, change: PartialSettings): Settings {
	return Settings.parse({
		model: { ...base.model, ...defined(change.model) },
		retry: { ...base.retry, ...defined(change.retry) },
	});
}

function withoutDefaults<S extends z.ZodRawShape>(group: z.ZodObject<S>) {
	const bare = Object.fromEntries(
		Object.entries(group.shape).map(([key, value]) => [
			key,
			value instanceof z.ZodDefault ? z.optional(value.unwrap() as z.ZodType) : z.optional(value as z.ZodType),
		]),
	);
	// The loop keeps every key and only drops defaults, which is what Partial says of the group's own output.
	return z.object(bare) as unknown as z.ZodType<Partial<z.output<z.ZodObject<S>>>>;
}

function defined<T extends object>(group: T | undefined): Partial<T> {
	const kept = Object.entries(group ?? {}).filter(([, value]) => value !== undefined);
	return Object.fromEntries(kept) as Partial<T>;
}
