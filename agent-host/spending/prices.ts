import { findListedPrice } from "../model-facts/find-facts.ts";
import { FACTS_AS_OF } from "../model-facts/table.ts";
import type { Price } from "../protocol/settings/model-values.ts";
import type { ModelSettings } from "../protocol/settings/settings.ts";

/** Date of the price lists (standard tier). */
export const PRICES_READ = FACTS_AS_OF;

/** Providers with one address of their own. */
const ADDRESSES = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1" } as const;

const FREE: Price = { input: 0, output: 0 };

/** The model to price. We cannot know what a gateway, a sign-in or another tier costs. */
export interface PricedModel extends Pick<ModelSettings, "provider" | "auth"> {
	readonly request: Pick<ModelSettings, "serviceTier">;
	readonly baseUrl?: string | undefined;
	/** Absent in envelopes of older releases. */
	readonly prices?: Readonly<Record<string, Price>>;
}

/** The user's price, otherwise the list's for exactly this model at this server; undefined if unknown. */
export function findPrice(model: PricedModel, id: string): Price | undefined {
	const { provider, auth, request, baseUrl, prices = {} } = model;
	if (Object.hasOwn(prices, id)) return prices[id];
	if (provider === "demo") return FREE;
	if (auth !== "apiKey" || !/^(?:auto|default)$/.test(request.serviceTier)) return undefined;
	if (provider === "openai" || provider === "anthropic") return findListedPrice(id, ADDRESSES[provider]);
	return provider === "compatible" && baseUrl ? findListedPrice(id, baseUrl) : undefined;
}
