import type { ModelEvent, ModelRequest } from "../../port.ts";
import { sourceOf } from "../../sealed-for.ts";
import { askServer, type ServerAccess } from "../connection/server.ts";
import { toResponsesBody } from "./responses-body.ts";
import { createResponsesReader } from "./responses-events.ts";

/** Asks one server over the Responses API. */
export function streamResponse(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const { origin } = new URL(access.baseUrl);
	// Reasoning is sealed for the model and the account that wrote it.
	const source = sourceOf(access.baseUrl, request.model);
	const body = toResponsesBody(request, access.memory.quirks(origin, request.model), source);
	const reader = createResponsesReader(source, request.tools, request.input);
	return askServer(access, { path: "/responses", body, model: request.model, reader }, signal);
}
