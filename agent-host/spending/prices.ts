import type { ModelSettings, Price } from "../protocol/settings/settings.ts";

/** Date of the provider's price list (standard tier). */
export const PRICES_READ = "2026-02-07";

/**
 * US dollars per million tokens: input, cache reads, output. A model without a price for cache reads pays them in full.
 */
const OPENAI: Readonly<Record<string, readonly [input: number, cached: number | undefined, output: number]>> = {
	"gpt-5.2": [1.75, 0.175, 14],
	"gpt-5.2-codex": [1.75, 0.175, 14],
	"gpt-5.2-pro": [21, undefined, 168],
	"gpt-5.1": [1.25, 0.125, 10],
	"gpt-5.1-codex": [1.25, 0.125, 10],
	"gpt-5.1-codex-max": [1.25, 0.125, 10],
	"gpt-5.1-codex-mini": [0.25, 0.025, 2],
	"gpt-5": [1.25, 0.125, 10],
	"gpt-5-codex": [1.25, 0.125, 10],
	"gpt-5-mini": [0.25, 0.025, 2],
	"gpt-5-nano": [0.05, 0.005, 0.4],
	"gpt-5-pro": [15, undefined, 120],
	"gpt-4.1": [2, 0.5, 8],
	"gpt-4.1-mini": [0.4, 0.1, 1.6],
	"gpt-4.1-nano": [0.1, 0.025, 0.4],
	"gpt-4o": [2.5, 1.25, 10],
	"gpt-4o-mini": [0.15, 0.075, 0.6],
	o3: [2, 0.5, 8],
	"o3-mini": [1.1, 0.55, 4.4],
	"o3-pro": [20, undefined, 80],
	"o4-mini": [1.1, 0.275, 4.4],
};

const FREE: Price = { input: 0, output: 0 };

/** The model to price. We cannot know what a gateway, a sign-in or another tier costs. */
export interface PricedModel extends Pick<ModelSettings, "provider" | "auth"> {
	readonly request: Pick<ModelSettings, "serviceTier">;
	/** Absent in envelopes of older releases. */
	readonly prices?: Readonly<Record<string, Price>>;
}

/** The user's price, otherwise the table's for exactly this model; undefined if unknown. */
export function findPrice({ provider, auth, request, prices = {} }: PricedModel, id: string): Price | undefined {
	if (Object.hasOwn(prices, id)) return prices[id];
	if (provider === "demo") return FREE;
	const isListed = provider === "openai" && auth === "apiKey" && /^(?:auto|default)$/.test(request.serviceTier);
	return isListed ? listed(id.replace(/-\d{4}-\d{2}-\d{2}$/, "")) : undefined;
}

function listed(name: string): Price | undefined {
	const found = Object.hasOwn(OPENAI, name) ? OPENAI[name] : undefined;
	if (found === undefined) return undefined;
	const [input, cached, output] = found;
	return { input, ...(cached === undefined ? {} : { cached }), output };
}
