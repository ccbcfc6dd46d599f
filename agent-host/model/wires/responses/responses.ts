import type { ModelRequest, ModelStream } from "../../port.ts";
import { nameSource } from "../../sealed-for.ts";
import { withMessageLast } from "../after-cut.ts";
import { withCalledTools } from "../called-tools.ts";
import { mayBeSilent } from "../connection/answer.ts";
import type { ServerAccess } from "../connection/send-request.ts";
import { askServer, type ServerPlace } from "../connection/server.ts";
import { withinSight } from "../sight.ts";
import { toPlanBody } from "./plan-body.ts";
import { toResponsesBody } from "./responses-body.ts";
import { createResponsesReader } from "./responses-events.ts";

export function streamResponse(access: ServerAccess, request: ModelRequest, signal: AbortSignal): ModelStream {
	const source = nameSource(access.baseUrl, request.model, "responses");
	const body = responsesBody(access, request);
	const reader = createResponsesReader(source, request.tools, request.input);
	return askServer(
		access,
		{ path: "/responses", body, model: request.model, reader, mayBeSilent: mayBeSilent(request) },
		signal,
	);
}

/** The body of a request. */
export function responsesBody({ baseUrl, memory, auth }: ServerPlace, request: ModelRequest): object {
	const { origin } = new URL(baseUrl);
	const quirks = memory.quirks(origin, request.model);
	// Reasoning is sealed for the model and the account that wrote it.
	const source = nameSource(baseUrl, request.model, "responses");
	const body = toResponsesBody(
		withinSight(withCalledTools(withMessageLast(request), quirks), quirks),
		quirks,
		source,
		memory.refusedSeals(origin, request.model),
	);
	return auth === "chatgpt" ? toPlanBody(body) : body;
}
