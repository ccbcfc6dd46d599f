import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { ModelRequest } from "./port.ts";
import type { ServerKnowledge, ServerPlace } from "./wires/connection/server.ts";
import { replaceLoneSurrogates } from "./wires/connection/well-formed.ts";
import { toEditorAsk } from "./wires/editor/editor.ts";

/**
 * The body that a provider gets for a request, without its headers. Options that its server is known to refuse are left
 * out. A demo model runs in this process and gets the request unchanged.
 */
export async function wireBody(
	{ provider, wire, baseUrl, auth }: Pick<TurnEnvelope["identity"], "provider" | "wire" | "baseUrl" | "auth">,
	request: ModelRequest,
	memory: ServerKnowledge,
): Promise<unknown> {
	if (provider === "editor") return toEditorAsk(request);
	if (provider === "demo" || baseUrl === undefined) return request;
	const place = { baseUrl, memory, auth };
	return replaceLoneSurrogates((await BODIES[wire]())(place, request));
}

const BODIES: Readonly<Record<TurnEnvelope["identity"]["wire"], () => Promise<BodyFor>>> = {
	responses: async () => (await import("./wires/responses/responses.ts")).responsesBody,
	chat: async () => (await import("./wires/chat/chat.ts")).chatBody,
	messages: async () => (await import("./wires/messages/messages.ts")).messagesBody,
	gemini: async () => (await import("./wires/gemini/gemini.ts")).geminiBody,
};

type BodyFor = (place: ServerPlace, request: ModelRequest) => object;
