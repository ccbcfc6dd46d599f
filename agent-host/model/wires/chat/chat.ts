import { callIdsIn } from "../../../history/normalize.ts";
import type { ModelEvent, ModelRequest } from "../../port.ts";
import { askServer, type ServerAccess, type ServerPlace } from "../connection/server.ts";
import { toChatBody } from "./chat-body.ts";
import { createChatReader } from "./chat-events.ts";

const OPENAI_HOST = /(^|\.)openai\.com$/;

export function streamChat(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const { origin } = new URL(access.baseUrl);
	const body = chatBody(access, request);
	const reader = createChatReader(callIdsIn(request.input), `${origin} ${request.model}`, request.tools);
	return askServer(access, { path: "/chat/completions", body, model: request.model, reader }, signal);
}

/** The body of a request. */
export function chatBody({ baseUrl, memory }: ServerPlace, request: ModelRequest): object {
	const { origin, hostname } = new URL(baseUrl);
	const quirks = memory.quirks(origin, request.model);
	return toChatBody(request, quirks, OPENAI_HOST.test(hostname) ? "openai" : "other");
}
