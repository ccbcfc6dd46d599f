import { callIdsIn } from "../../../history/normalize.ts";
import type { ModelEvent, ModelRequest } from "../../port.ts";
import { askServer, type ServerAccess } from "../connection/server.ts";
import { toChatBody } from "./chat-body.ts";
import { createChatReader } from "./chat-events.ts";

const OPENAI_HOST = /(^|\.)openai\.com$/;

/** Asks one server over Chat Completions. */
export function streamChat(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const { origin, hostname } = new URL(access.baseUrl);
	const quirks = access.memory.quirks(origin, request.model);
	const body = toChatBody(request, quirks, OPENAI_HOST.test(hostname) ? "openai" : "other");
	const reader = createChatReader(callIdsIn(request.input), `${origin} ${request.model}`, request.tools);
	return askServer(access, { path: "/chat/completions", body, model: request.model, reader }, signal);
}
