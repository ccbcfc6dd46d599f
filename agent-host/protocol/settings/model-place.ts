import { findKnownProvider } from "./known-providers.ts";
import type { ProviderSettings, ProvidersSettings } from "./provider-settings.ts";
import type { ModelSettings, PartialSettings } from "./settings.ts";

type Model = Partial<ModelSettings>;

/** Where the models of a provider are asked for, and how. */
export type ModelPlace = Pick<ModelSettings, "provider" | "wire" | "auth" | "baseUrl">;

/** Providers with a fixed address, which have settings of their own. */
const FIXED = ["openai", "anthropic"] as const;

/** The address of a configured provider, as model settings. */
export function locateProvider(name: string, { wire, baseUrl, auth = "apiKey" }: ProviderSettings): ModelPlace {
	const known = findKnownProvider(name);
	const fixed = baseUrl === undefined ? FIXED.find((one) => one === name) : undefined;
	return {
		provider: fixed ?? "compatible",
		wire: wire ?? known?.wire ?? "responses",
		auth,
		baseUrl: fixed === undefined ? (baseUrl ?? known?.baseUrl ?? "") : "",
	};
}

/**
 * Model settings with the address of the provider that `<name>/<id>` names. Ids have slashes, too: what stands before
 * the first one is a name only if a provider is configured under it.
 */
export function placeModel(model: Model, providers: ProvidersSettings): Model {
	const { id = "", provider: chosen } = model;
	// The editor names its models itself.
	if (chosen === "editor") return model;
	const name = id.slice(0, Math.max(0, id.indexOf("/")));
	const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
	if (provider === undefined) return model;
	// The window in the settings is that of the model that they name without a provider.
	return { ...model, ...locateProvider(name, provider), id: id.slice(name.length + 1), contextWindow: 0 };
}

/** The same for settings that contain a model. */
export function placeModelIn(settings: PartialSettings, providers: ProvidersSettings): PartialSettings {
	return settings.model === undefined ? settings : { ...settings, model: placeModel(settings.model, providers) };
}

/** A configured provider and its name. */
export interface NamedProvider {
	readonly name: string;
	readonly settings: ProviderSettings;
}

/** The configured provider at the address of a model, if there is one. */
export function findProvider(model: ModelPlace, providers: ProvidersSettings): NamedProvider | undefined {
	return Object.entries(providers)
		.map(([name, settings]) => ({ name, settings }))
		.find(({ name, settings }) => {
			const place = locateProvider(name, settings);
			return PLACE_KEYS.every((key) => place[key] === model[key]);
		});
}

/** The wire of a provider with a fixed address is not a choice. */
const PLACE_KEYS = ["provider", "auth", "baseUrl"] as const satisfies readonly (keyof ModelPlace)[];
