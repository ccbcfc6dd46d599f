import { modelList } from "../../../agent-host/protocol/host/host.ts";
import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import { findKnownProvider, KNOWN_PROVIDERS } from "../../../agent-host/protocol/settings/known-providers.ts";
import { locateProvider, type ModelPlace } from "../../../agent-host/protocol/settings/model-place.ts";
import type { ProvidersSettings } from "../../../agent-host/protocol/settings/provider-settings.ts";
import type { ModelSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { t } from "../../../l10n/t.ts";
import type { HostClient } from "../../host/host-client.ts";

export type Offered = ResultOf<typeof modelList>["models"][number];

/** A provider whose models can be chosen. */
export interface ProviderGroup {
	readonly label: string;
	readonly place: ModelPlace;
	/** The user's window setting, for the provider that has one. */
	readonly contextWindow: number;
}

/**
 * The providers that can be chosen from: the thread's own, the one in the settings, and those configured by name; each
 * address once.
 */
export function listProviders(
	thread: ModelPlace,
	configured: ModelSettings,
	providers: ProvidersSettings,
): readonly ProviderGroup[] {
	const named = Object.entries(providers).map(([name, settings]) => ({
		label: findKnownProvider(name)?.brand ?? name,
		place: locateProvider(name, settings),
		contextWindow: 0,
	}));
	const { contextWindow } = configured;
	const own = { label: describePlace(configured), place: pickPlace(configured), contextWindow };
	const all = [...named, own, { label: describePlace(thread), place: pickPlace(thread), contextWindow: 0 }];
	const distinct = all.filter((one, index) => all.findIndex((other) => isSamePlace(other.place, one.place)) === index);
	return distinct.toSorted((a, b) => Number(isSamePlace(b.place, thread)) - Number(isSamePlace(a.place, thread)));
}

/** The models that a provider offers now, or why they cannot be listed. */
export async function loadModels(
	host: Pick<HostClient, "request">,
	{ place }: ProviderGroup,
): Promise<readonly Offered[]> {
	const { models } = await host.request(modelList, { settings: { model: { ...place, id: "" } } });
	return models.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** A provider without a name of its own: by its maker, or its host. */
export function describePlace({ provider, auth, baseUrl }: ModelPlace): string {
	switch (provider) {
		case "demo":
			return t("Demo model");
		case "editor":
			return t("Editor model");
		case "openai":
			return auth === "chatgpt" ? t("ChatGPT plan (preview)") : "OpenAI";
		case "anthropic":
			return "Anthropic";
		case "compatible": {
			const known = Object.values(KNOWN_PROVIDERS).find((one) => one.baseUrl === baseUrl);
			return known?.brand ?? (URL.canParse(baseUrl) ? new URL(baseUrl).host : t("Another server"));
		}
	}
}

function isSamePlace(a: ModelPlace, b: ModelPlace): boolean {
	return a.provider === b.provider && a.auth === b.auth && a.baseUrl === b.baseUrl;
}

function pickPlace({ provider, wire, auth, baseUrl }: ModelPlace): ModelPlace {
	return { provider, wire, auth, baseUrl };
}
