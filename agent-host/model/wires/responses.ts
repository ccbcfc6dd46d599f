import type { ModelEvent, ModelRequest } from "../port.ts";
import { toResponsesBody } from "./responses-body.ts";
import { createResponsesReader } from "./responses-events.ts";
import { askServer, type ServerAccess } from "./server.ts";

/** Asks one server over the Responses API. */
export function streamResponse(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const { origin } = new URL(access.baseUrl);
	// Reasoning is sealed for the model and the account that wrote it.
	const source = `${origin} ${request.model}`;
	const body = toResponsesBody(request, access.memory.quirks(origin, request.model), source);
	const reader = createResponsesReader(source, request.tools);
	return askServer(access, { path: "/responses", body, model: request.model, reader }, signal);
}
