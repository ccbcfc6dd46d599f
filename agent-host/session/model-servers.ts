import { ANTHROPIC_BASE_URL, OPENAI_BASE_URL } from "../model/catalog.ts";
import { locateProvider, placeModel } from "../protocol/settings/model-place.ts";
import type { ModelSettings, Settings } from "../protocol/settings/settings.ts";

const FIXED: Partial<Record<string, string>> = { openai: OPENAI_BASE_URL, anthropic: ANTHROPIC_BASE_URL };

/** The origins of the model servers that settings name; none for the demo. */
export function listModelServers({ model, providers }: Pick<Settings, "model" | "providers">): readonly string[] {
	const others = Object.entries(providers).map(([name, provider]) => locateProvider(name, provider));
	return [...new Set([placeModel(model, providers), ...others].flatMap(findOrigin))];
}

function findOrigin({ provider = "demo", baseUrl = "" }: Partial<ModelSettings>): readonly string[] {
	const address = provider === "compatible" ? baseUrl : (FIXED[provider] ?? "");
	return URL.canParse(address) ? [new URL(address).origin] : [];
}
