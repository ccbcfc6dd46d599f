import type { ResolvedModel } from "../envelope/resolve-envelope.ts";
import { say } from "../protocol/say.ts";
import { findProvider } from "../protocol/settings/model-place.ts";
import type { ProvidersSettings } from "../protocol/settings/provider-settings.ts";
import type { ModelSettings } from "../protocol/settings/settings.ts";
import { findAbilities, guessWindow, tableWindow } from "./abilities.ts";
import { ANTHROPIC_BASE_URL, DEMO_MODEL, OPENAI_BASE_URL } from "./catalog.ts";
import type { ServerMemory } from "./memory.ts";
import { ModelFailure } from "./port.ts";

/** The key under which the editor's own models are remembered, in place of a server's origin. */
export const EDITOR_ORIGIN = "editor";

/** Name, address and window of the configured model, or a failure that says which setting is missing. */
export function resolveModel(
	settings: ModelSettings,
	memory: Pick<ServerMemory, "model">,
	/** Providers that the user has configured, with what the user says about their models. */
	providers: ProvidersSettings = {},
): ResolvedModel | ModelFailure {
	const { headers, models = {} } = findProvider(settings, providers)?.settings ?? {};
	const said = Object.hasOwn(models, settings.id) ? models[settings.id] : undefined;
	const contextWindow = said?.window ?? settings.contextWindow;
	const resolved = resolveAddress({ ...settings, contextWindow }, memory);
	if (resolved instanceof ModelFailure) return resolved;
	return {
		...resolved,
		...(headers === undefined ? {} : { headers }),
		...(said?.images === undefined ? {} : { abilities: { images: said.images } }),
		...(said?.efforts === undefined ? {} : { efforts: said.efforts }),
		...(said?.price === undefined ? {} : { price: said.price }),
	};
}

function resolveAddress(settings: ModelSettings, memory: Pick<ServerMemory, "model">): ResolvedModel | ModelFailure {
	const { id } = settings;
	switch (settings.provider) {
		case "demo":
			return {
				id: DEMO_MODEL.id,
				...findAbilities(settings, undefined, {}),
				...resolveWindow(settings, { table: DEMO_MODEL.window }, {}),
			};
		case "openai": {
			if (id === "") return notSetUp("no-openai-model");
			// A plan is used at the same address as a key.
			return { id, baseUrl: OPENAI_BASE_URL, ...factsAt(settings, OPENAI_BASE_URL, memory) };
		}
		case "anthropic": {
			if (id === "") return notSetUp("no-anthropic-model");
			return { id, baseUrl: ANTHROPIC_BASE_URL, wire: "messages", ...factsAt(settings, ANTHROPIC_BASE_URL, memory) };
		}
		case "compatible":
			if (settings.baseUrl === "") {
				return notSetUp("no-server-address");
			}
			if (id === "") return notSetUp("no-model");
			return { id, baseUrl: settings.baseUrl, ...factsAt(settings, settings.baseUrl, memory) };
		case "editor":
			if (id === "") return notSetUp("no-editor-model");
			return { id, ...factsAt(settings, undefined, memory) };
	}
}

type Window = Pick<ResolvedModel, "window" | "windowSource">;

/** What is known about the model at an address, or about one of the editor's models if there is none. */
function factsAt(
	settings: ModelSettings,
	baseUrl: string | undefined,
	memory: Pick<ServerMemory, "model">,
): Omit<ResolvedModel, "id" | "baseUrl"> {
	const { id } = settings;
	const known = memory.model(baseUrl === undefined ? EDITOR_ORIGIN : new URL(baseUrl).origin, id);
	const table = tableWindow(id, baseUrl);
	return {
		...findAbilities(settings, baseUrl, known),
		...resolveWindow(settings, { table, guess: guessWindow(id) }, known),
	};
}

/**
 * The effective context window. What an overflow taught is a fact and wins, until the user sets another number than the
 * one that overflowed; then the user's setting, the server's report, the table, and a conservative guess.
 */
function resolveWindow(
	{ contextWindow: setting }: ModelSettings,
	{ table, guess = 0 }: { readonly table: number | undefined; readonly guess?: number },
	{ learned, served }: ReturnType<ServerMemory["model"]>,
): Window {
	if (learned !== undefined && learned.setting === setting) return { window: learned.window, windowSource: "learned" };
	if (setting > 0) return { window: setting, windowSource: "setting" };
	if (served !== undefined) return { window: served, windowSource: "server" };
	if (table !== undefined) return { window: table, windowSource: "table" };
	return { window: guess, windowSource: "assumed" };
}

function notSetUp(
	sentence: "no-openai-model" | "no-anthropic-model" | "no-server-address" | "no-model" | "no-editor-model",
): ModelFailure {
	return new ModelFailure("model-not-set-up", say(sentence), { retryable: false });
}
