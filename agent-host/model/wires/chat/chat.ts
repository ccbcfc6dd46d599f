import { callIdsIn } from "../../../history/normalize.ts";
import type { ModelEvent, ModelRequest } from "../../port.ts";
import { nameSource } from "../../sealed-for.ts";
import { askServer, type ServerAccess, type ServerPlace } from "../connection/server.ts";
import { toChatBody } from "./chat-body.ts";
import { createChatReader } from "./chat-events.ts";
import { recognizeChatServer } from "./chat-server.ts";

export function streamChat(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const body = chatBody(access, request);
	const source = nameSource(access.baseUrl, request.model);
	const reader = createChatReader(callIdsIn(request.input), source, request.tools);
	return askServer(access, { path: "/chat/completions", body, model: request.model, reader }, signal);
}

/** The body of a request. */
export function chatBody({ baseUrl, memory }: ServerPlace, request: ModelRequest): object {
	const { origin } = new URL(baseUrl);
	return toChatBody(request, {
		quirks: memory.quirks(origin, request.model),
		server: recognizeChatServer(baseUrl),
		source: nameSource(baseUrl, request.model),
		refusedSeals: memory.refusedSeals(origin, request.model),
	});
}
