import type { Identity, TurnEnvelope } from "../envelope/envelope.ts";
import { needsKey } from "../protocol/settings/known-providers.ts";
import type { Wire } from "../protocol/settings/model-values.ts";
import { createDemoClient } from "./demo.ts";
import type { ServerMemory } from "./memory.ts";
import type { CountTokens, ModelClient, ModelRequest, ModelStream, RemoteCompaction } from "./port.ts";
import { EDITOR_ORIGIN } from "./resolve-model.ts";
import type { ListedModel } from "./wires/connection/list-models.ts";
import type { Secret } from "./wires/connection/secret.ts";
import type { ServerAccess } from "./wires/connection/send-request.ts";
import { type EditorModels, streamEditorModel } from "./wires/editor/editor.ts";

export interface ModelEffects {
	readonly secret: (ask: SecretAsk) => Promise<Secret | undefined>;
	readonly now: () => number;
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly servers: ServerMemory;
	readonly editorModels: EditorModels;
}

/** Which secret is needed. */
export interface SecretAsk {
	readonly provider: string;
	readonly origin: string;
	/** The token that the server refused: a sign-in can be renewed. */
	readonly refused?: string;
}

type Address = Pick<TurnEnvelope["identity"], "provider" | "auth" | "wire"> & {
	readonly baseUrl: string;
	readonly headers?: TurnEnvelope["identity"]["headers"] | undefined;
};

/** Creates the client for a turn's provider. The provider's library is loaded with the first request, not at start. */
export function clientFor(identity: TurnEnvelope["identity"], effects: ModelEffects): ModelClient {
	const { provider, baseUrl, auth, wire, headers } = identity;
	if (provider === "editor") {
		return {
			ready: () => Promise.resolve(),
			stream: (request, signal) => streamEditorModel(effects.editorModels, request, signal),
		};
	}
	if (provider === "demo" || baseUrl === undefined) return createDemoClient(effects.pause, identity.surface);
	const windowSetting = windowSettingOf(identity, new URL(baseUrl).origin, effects.servers);
	const access = { ...accessTo({ provider, baseUrl, auth, wire, headers }, effects), windowSetting };
	return {
		ready: async () => {
			await LOADERS[wire]();
		},
		async *stream(request, signal) {
			yield* (await LOADERS[wire]())(access, request, signal);
		},
		get compact() {
			const isMissing =
				wire !== "responses" ||
				auth === "chatgpt" ||
				effects.servers.quirks(new URL(baseUrl).origin, identity.model).has("no-compact");
			return isMissing ? undefined : compactAt(access);
		},
		get count() {
			const load = COUNTERS[wire];
			const isMissing = effects.servers.quirks(new URL(baseUrl).origin, identity.model).has("no-count");
			if (load === undefined || isMissing) return undefined;
			return async (request: ModelRequest, signal: AbortSignal) => (await load())(access, request, signal);
		},
	};
}

/** The user's own number, also where an overflow has taught a smaller one since; 0 if there is none. */
function windowSettingOf({ model, windowSource, budgets }: Identity, origin: string, servers: ServerMemory): number {
	if (windowSource === "setting") return budgets.window;
	return windowSource === "learned" ? (servers.model(origin, model).learned?.setting ?? 0) : 0;
}

/** Wires with an endpoint that counts. */
const COUNTERS: Partial<Record<TurnEnvelope["identity"]["wire"], () => Promise<CountAt>>> = {
	messages: async () => (await import("./wires/messages/messages.ts")).countMessages,
	gemini: async () => (await import("./wires/gemini/gemini.ts")).countGemini,
};

type CountAt = (access: ServerAccess, ...ask: Parameters<CountTokens>) => ReturnType<CountTokens>;

/** Each wire is loaded with its first request. */
const LOADERS: Readonly<Record<TurnEnvelope["identity"]["wire"], () => Promise<StreamFrom>>> = {
	responses: async () => (await import("./wires/responses/responses.ts")).streamResponse,
	chat: async () => (await import("./wires/chat/chat.ts")).streamChat,
	messages: async () => (await import("./wires/messages/messages.ts")).streamMessages,
	gemini: async () => (await import("./wires/gemini/gemini.ts")).streamGemini,
};

type StreamFrom = (access: ServerAccess, request: ModelRequest, signal: AbortSignal) => ModelStream;

function compactAt(access: ServerAccess): RemoteCompaction {
	return async function* (request, signal) {
		yield* (await import("./wires/responses/remote-compaction.ts")).streamCompaction(access, request, signal);
	};
}

/** The models that a provider's server offers. Window sizes that it reports are remembered. */
export async function listModels(
	address: Address,
	effects: Pick<ModelEffects, "secret" | "now" | "servers">,
): Promise<readonly ListedModel[]> {
	const server = await import("./wires/connection/list-models.ts");
	const models = await server.listModels(accessTo(address, effects));
	const { origin } = new URL(address.baseUrl);
	for (const { id, window, images } of models) {
		if (window !== undefined || images !== undefined)
			effects.servers.learnModel(origin, id, { served: window, images });
	}
	return models;
}

/** The API that a provider's server has. */
export async function detectWire(
	address: Address,
	effects: Pick<ModelEffects, "secret" | "now" | "servers">,
): Promise<Wire> {
	const server = await import("./wires/connection/detect-wire.ts");
	return server.detectWire(accessTo(address, effects));
}

/** The editor's own models. Window sizes are remembered under a name that no server can have. */
export async function listEditorModels(
	effects: Pick<ModelEffects, "editorModels" | "servers">,
): Promise<readonly ListedModel[]> {
	const models = await effects.editorModels.list();
	return models.map(({ id, window }) => {
		if (window <= 0) return { id };
		effects.servers.learnModel(EDITOR_ORIGIN, id, { served: Math.floor(window) });
		return { id, window };
	});
}

function accessTo(
	{ provider, baseUrl, auth, wire, headers }: Address,
	effects: Pick<ModelEffects, "secret" | "now" | "servers">,
): ServerAccess {
	const { origin } = new URL(baseUrl);
	// An API key and a sign-in token are two secrets, even at one origin.
	const whose = auth === "chatgpt" ? "chatgpt" : provider;
	return {
		baseUrl,
		auth,
		headers: wire === "messages" ? "anthropic" : wire === "gemini" ? "google" : "bearer",
		ownHeaders: headers,
		needsKey: provider === "openai" || auth === "chatgpt" || needsKey(baseUrl),
		secret: (refused) => effects.secret({ provider: whose, origin, ...(refused === undefined ? {} : { refused }) }),
		now: effects.now,
		memory: effects.servers,
		windowSetting: 0,
	};
}
