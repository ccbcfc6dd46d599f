import type { ResolvedModel } from "../envelope/resolve-envelope.ts";
import { isKnownReasoner } from "../model/abilities.ts";
import { detectWire, listEditorModels, listModels } from "../model/client.ts";
import { askLoadedModel, recognizeLocalServer } from "../model/loaded-model.ts";
import { isLocalServer } from "../model/local-server.ts";
import { ModelFailure } from "../model/port.ts";
import { EDITOR_ORIGIN, resolveModel } from "../model/resolve-model.ts";
import type { ListedModel } from "../model/wires/connection/list-models.ts";
import { HostError } from "../protocol/errors.ts";
import type { HostStatus, modelDetect, modelList, RateLimit } from "../protocol/host/host.ts";
import type { ResultOf } from "../protocol/method.ts";
import { say } from "../protocol/say.ts";
import { findProvider } from "../protocol/settings/model-place.ts";
import type { ProvidersSettings } from "../protocol/settings/provider-settings.ts";
import type { ModelSettings, Settings } from "../protocol/settings/settings.ts";
import { findPrice, PRICES_READ } from "../spending/prices.ts";
import type { Ports } from "./ports/ports.ts";

/** Time for the editor to list its models before a turn starts without them. */
const EDITOR_LIST_MS = 3_000;

/** The models of the configured provider, each with its effective window. */
export async function offeredModels(
	settings: ModelSettings,
	providers: ProvidersSettings,
	ports: Ports,
): Promise<ResultOf<typeof modelList>["models"]> {
	const listed = await namedModels(settings, providers, ports);
	return listed.map(({ id }) => {
		const resolved = resolveModel({ ...settings, id }, ports.servers, providers);
		if (resolved instanceof ModelFailure) return { id, window: 0, windowSource: "assumed" };
		const { window, windowSource = "assumed", baseUrl, abilities } = resolved;
		const reasoning = isKnownReasoner(id, baseUrl);
		const prices = resolved.price === undefined ? settings.prices : { [id]: resolved.price };
		const price = findPrice({ ...settings, prices, baseUrl, request: settings }, id);
		return {
			id,
			window,
			windowSource,
			images: abilities.images,
			...(reasoning === undefined ? {} : { reasoning }),
			...(price === undefined ? {} : { price: { input: price.input, output: price.output } }),
		};
	});
}

/** The configured model, as far as it is known without asking a server. */
export function modelStatus(
	model: ModelSettings,
	providers: ProvidersSettings,
	{ servers }: Ports,
): HostStatus["model"] {
	const resolved = resolveModel(model, servers, providers);
	const { id, window, windowSource } = resolved instanceof ModelFailure ? { id: model.id, window: 0 } : resolved;
	const price = findPrice({ ...model, request: model }, id);
	const rateLimits = resolved instanceof ModelFailure ? [] : limitsOf(resolved, servers);
	return {
		provider: model.provider,
		id,
		window,
		...(windowSource === undefined ? {} : { windowSource }),
		...(price === undefined ? {} : { price }),
		pricesRead: PRICES_READ,
		...(rateLimits.length === 0 ? {} : { rateLimits: [...rateLimits] }),
	};
}

function limitsOf({ baseUrl, id }: ResolvedModel, servers: Ports["servers"]): readonly RateLimit[] {
	return baseUrl === undefined ? [] : servers.rateLimits(new URL(baseUrl).origin, id);
}

/** Only the editor knows the windows of its models, and a turn is sealed with its window. */
export async function learnEditorWindow({ model }: Settings, ports: Ports): Promise<void> {
	if (model.provider !== "editor" || ports.servers.model(EDITOR_ORIGIN, model.id).served !== undefined) return;
	// An editor that does not answer must not prevent the turn from starting; its model then has the assumed window.
	const listed = listEditorModels(ports).catch(() => undefined);
	const late = new AbortController();
	await Promise.race([listed, ports.pause(EDITOR_LIST_MS, late.signal).catch(() => undefined)]);
	late.abort();
}

/** The least window in which an agent's instructions, a small set of tools and a few files have room. */
const LEAST_WINDOW = 8_000;

/**
 * Asks a local server which window it has loaded the model with, since a turn is sealed with it: some cut silently what
 * does not fit. Refuses a window that is too small for an agent, with the setting that helps.
 */
export async function learnLoadedWindow({ model }: Settings, ports: Ports): Promise<void> {
	const { provider, baseUrl, id, contextWindow } = model;
	if (provider !== "compatible" || baseUrl === "" || id === "" || !isLocalServer(baseUrl)) return;
	const kind = recognizeLocalServer(baseUrl);
	if (kind === undefined) return;
	const known = await askLoadedModel(kind, baseUrl, id);
	ports.servers.learnModel(new URL(baseUrl).origin, id, known);
	const { served: window = LEAST_WINDOW } = known;
	if (window >= LEAST_WINDOW || contextWindow > 0) return;
	throw new HostError("settings-refused", say(WINDOW_TOO_SMALL[kind], { model: id, window }));
}

const WINDOW_TOO_SMALL = { Ollama: "ollama-window-small", "LM Studio": "lm-studio-window-small" } as const;

async function namedModels(
	settings: ModelSettings,
	providers: ProvidersSettings,
	ports: Ports,
): Promise<readonly ListedModel[]> {
	const resolved = resolveModel({ ...settings, id: settings.id || "any" }, ports.servers, providers);
	if (resolved instanceof ModelFailure) throw new HostError("settings-refused", resolved.said);
	if (settings.provider === "editor") return listEditorModels(ports);
	const { id, baseUrl, headers, wire = settings.wire } = resolved;
	if (baseUrl === undefined) return [{ id }];
	const { provider, auth } = settings;
	return listModels({ provider, auth, baseUrl, headers, wire }, ports).catch(refuse);
}

type DetectedWire = ResultOf<typeof modelDetect>["wire"];

/** Asks the configured server which API it has. */
export async function detectServerWire(
	settings: ModelSettings,
	providers: ProvidersSettings,
	ports: Ports,
): Promise<DetectedWire> {
	const baseUrl = locateServer(settings, ports);
	const { provider, auth, wire } = settings;
	const headers = findProvider(settings, providers)?.settings.headers;
	return detectWire({ provider, auth, baseUrl, headers, wire }, ports).catch(refuse);
}

/** The address of the configured server, whether or not a model is chosen. */
export function locateServer(settings: ModelSettings, ports: Pick<Ports, "servers">): string {
	const resolved = resolveModel({ ...settings, id: settings.id || "any" }, ports.servers);
	if (resolved instanceof ModelFailure) throw new HostError("settings-refused", resolved.said);
	if (resolved.baseUrl === undefined) throw new HostError("settings-refused", say("no-server-to-ask"));
	return resolved.baseUrl;
}

function refuse(error: unknown): never {
	if (!(error instanceof ModelFailure)) throw error;
	throw new HostError(error.code === "auth" ? "key-refused" : "settings-refused", error.said);
}
