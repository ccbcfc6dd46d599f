import { callIdsIn } from "../../../history/normalize.ts";
import type { ModelEvent, ModelRequest } from "../../port.ts";
import { nameSource } from "../../sealed-for.ts";
import { askServer, type ServerAccess, type ServerPlace } from "../connection/server.ts";
import { toMessagesBody } from "./messages-body.ts";
import { createMessagesReader } from "./messages-events.ts";

export function streamMessages(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const source = nameSource(access.baseUrl, request.model);
	const reader = createMessagesReader(callIdsIn(request.input), source, request.tools);
	const body = messagesBody(access, request);
	return askServer(access, { path: messagesPath(access.baseUrl), body, model: request.model, reader }, signal);
}

/** The body of a request. */
export function messagesBody({ baseUrl, memory }: ServerPlace, request: ModelRequest): object {
	const quirks = memory.quirks(new URL(baseUrl).origin, request.model);
	return toMessagesBody(request, quirks, nameSource(baseUrl, request.model));
}

/** Addresses are written with the version, as for the other APIs, or without it, as for Anthropic's own library. */
function messagesPath(baseUrl: string): "/messages" | "/v1/messages" {
	return /\/v\d+\/?$/.test(new URL(baseUrl).pathname) ? "/messages" : "/v1/messages";
}
