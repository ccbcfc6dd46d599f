import { callIdsIn } from "../../../history/normalize.ts";
import type { ModelRequest, ModelStream } from "../../port.ts";
import { nameSource } from "../../sealed-for.ts";
import { withCalledTools } from "../called-tools.ts";
import { mayBeSilent } from "../connection/answer.ts";
import { countTokens } from "../connection/count-tokens.ts";
import { messagesCountPath, messagesPath } from "../connection/paths.ts";
import type { ServerAccess } from "../connection/send-request.ts";
import { askServer, type ServerPlace } from "../connection/server.ts";
import { withinSight } from "../sight.ts";
import { imageSide, isAnthropic } from "./claude.ts";
import { toMessagesBody } from "./messages-body.ts";
import { createMessagesReader } from "./messages-events.ts";

export function streamMessages(access: ServerAccess, request: ModelRequest, signal: AbortSignal): ModelStream {
	const source = nameSource(access.baseUrl, request.model, "messages");
	const reader = createMessagesReader(callIdsIn(request.input), source, request.tools);
	const body = messagesBody(access, request);
	return askServer(
		access,
		{ path: messagesPath(access.baseUrl), body, model: request.model, reader, mayBeSilent: mayBeSilent(request) },
		signal,
	);
}

/** The body of a request. */
export function messagesBody({ baseUrl, memory }: ServerPlace, request: ModelRequest): object {
	const { origin } = new URL(baseUrl);
	const quirks = memory.quirks(origin, request.model);
	return toMessagesBody(withinSight(withCalledTools(request, quirks), quirks, imageSide), quirks, {
		source: nameSource(baseUrl, request.model, "messages"),
		refusedSeals: memory.refusedSeals(origin, request.model),
		sendsEarly: isAnthropic(baseUrl),
	});
}

/** Tokens of a request, as the server counts them. */
export function countMessages(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): Promise<number | undefined> {
	const { max_tokens: _, stream: __, ...body } = messagesBody(access, request) as Record<string, unknown>;
	return countTokens(access, { path: messagesCountPath(access.baseUrl), body, model: request.model }, signal);
}
