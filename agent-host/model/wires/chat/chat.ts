import { callIdsIn } from "../../../history/normalize.ts";
import { isLocalServer } from "../../local-server.ts";
import type { ModelRequest, ModelStream } from "../../port.ts";
import { nameSource } from "../../sealed-for.ts";
import { withMessageLast } from "../after-cut.ts";
import { withCalledTools } from "../called-tools.ts";
import { mayBeSilent } from "../connection/answer.ts";
import type { ServerAccess } from "../connection/send-request.ts";
import { askServer, type ServerPlace } from "../connection/server.ts";
import { withinSight } from "../sight.ts";
import { toChatBody } from "./chat-body.ts";
import { createChatReader } from "./chat-events.ts";
import { recognizeChatServer } from "./chat-server.ts";
import { createTextCallFinder, isInConversation, type TextCallFinder } from "./text-calls.ts";

export function streamChat(access: ServerAccess, request: ModelRequest, signal: AbortSignal): ModelStream {
	const body = chatBody(access, request);
	const source = nameSource(access.baseUrl, request.model, "chat");
	const reader = createChatReader(callIdsIn(request.input), source, request.tools, finderFor(access, request));
	return askServer(
		access,
		{ path: "/chat/completions", body, model: request.model, reader, mayBeSilent: mayBeSilent(request) },
		signal,
	);
}

/** Only local servers leave it to a flag whether calls are read; elsewhere such a text is a text. */
function finderFor({ baseUrl, memory }: ServerAccess, request: ModelRequest): TextCallFinder | undefined {
	if (!isLocalServer(baseUrl) || request.tools.length === 0) return undefined;
	const { origin } = new URL(baseUrl);
	return createTextCallFinder(request.tools, {
		origin,
		isKnown: memory.quirks(origin, request.model).has("text-calls"),
		learn: () => memory.learnQuirk(origin, request.model, "text-calls"),
		isQuoted: (text) => isInConversation(request, text),
	});
}

/** The body of a request. */
export function chatBody({ baseUrl, memory }: ServerPlace, request: ModelRequest): object {
	const { origin } = new URL(baseUrl);
	const quirks = memory.quirks(origin, request.model);
	return toChatBody(withinSight(withCalledTools(withMessageLast(request), quirks), quirks), {
		quirks,
		server: recognizeChatServer(baseUrl),
		source: nameSource(baseUrl, request.model, "chat"),
		refusedSeals: memory.refusedSeals(origin, request.model),
	});
}
