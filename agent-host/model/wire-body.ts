import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { ServerMemory } from "./memory.ts";
import type { ModelRequest } from "./port.ts";
import { wholeCharacters } from "./wires/connection/sse.ts";
import { toEditorAsk } from "./wires/editor/editor.ts";

/**
 * What a provider gets for a request: the body that is sent, without its headers. Options that its server is known to refuse by now
 * are left out. A demo model is in this process and gets the request as it is.
 */
export async function wireBody(
	{ provider, wire, baseUrl }: Pick<TurnEnvelope["identity"], "provider" | "wire" | "baseUrl">,
	request: ModelRequest,
	memory: Pick<ServerMemory, "quirks">,
): Promise<unknown> {
	if (provider === "editor") return toEditorAsk(request);
	if (provider === "demo" || baseUrl === undefined) return request;
	const place = { baseUrl, memory };
	const body =
		wire === "chat"
			? (await import("./wires/chat/chat.ts")).chatBody(place, request)
			: (await import("./wires/responses/responses.ts")).responsesBody(place, request);
	return wholeCharacters(body);
}
