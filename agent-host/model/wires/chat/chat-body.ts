import type {
	ChatCompletionContentPart,
	ChatCompletionCreateParamsStreaming,
	ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { effortFor } from "../../../envelope/effort.ts";
import type { ModelRequest } from "../../port.ts";
import { type Call, type Exchange, imageUrl, toExchanges } from "../exchanges.ts";
import { askInWords, labelled } from "../host-text.ts";
import { wireArguments, wireCallId, wireName } from "../names.ts";
import { acceptedEfforts, type Quirks, withoutRefused } from "../refusals/quirks.ts";
import { serviceTier } from "../responses/responses-body.ts";

/** The role for host messages that a server accepts. */
type HostRole = "developer" | "system" | "user";

type Message = ChatCompletionMessageParam & { readonly reasoning_content?: string };

/** The body of a Chat Completions request in the form this server accepts. */
export function toChatBody(
	request: ModelRequest,
	quirks: Quirks,
	/** OpenAI's own service supports the developer role and cache keys; others often support neither. */
	server: "openai" | "other",
): ChatCompletionCreateParamsStreaming {
	const role = hostRole(quirks, server);
	const effort = effortFor(request.reasoningEffort, acceptedEfforts(quirks));
	const messages = [
		...(request.instructions === "" ? [] : [hostMessage(role, request.instructions)]),
		...toExchanges(request.input).flatMap((exchange) => toMessages(exchange, role, quirks)),
		...schemaInWords(request, role, quirks),
	];
	const body = {
		model: request.model,
		messages: quirks.has("roles-alternate") ? joinNeighbours(messages) : messages,
		...(request.tools.length === 0 || quirks.has("no-tools") ? {} : { tools: request.tools.map(toTool) }),
		stream: true,
		stream_options: { include_usage: true },
		...(server === "openai" ? { prompt_cache_key: request.cacheKey } : {}),
		...(effort === undefined ? {} : { reasoning_effort: effort }),
		...(request.verbosity === undefined ? {} : { verbosity: request.verbosity }),
		...chooseFormat(request, quirks),
		...serviceTier(request.serviceTier),
	};
	// The library's enums are a release or two behind the settings'; the server decides about both.
	return withoutRefused(body, quirks) as ChatCompletionCreateParamsStreaming;
}

function hostRole(quirks: Quirks, server: "openai" | "other"): HostRole {
	if (quirks.has("no-system-role")) return "user";
	return server === "openai" && !quirks.has("no-developer-role") ? "developer" : "system";
}

function hostMessage(role: HostRole, content: string): Message {
	return role === "user" ? { role, content: labelled(content) } : { role, content };
}

/** Each answer becomes one assistant message with its calls, directly followed by their outputs, as servers require. */
function toMessages(exchange: Exchange, role: HostRole, quirks: Quirks): readonly Message[] {
	switch (exchange.kind) {
		case "host":
			return [hostMessage(role, exchange.text)];
		case "user":
			return [{ role: "user", content: userContent(exchange) }];
		case "answer":
			return [assistantMessage(exchange, quirks), ...exchange.calls.map(toOutput)];
	}
}

/** Plain text if there is no image: many servers accept nothing else. */
function userContent({ text, images }: Extract<Exchange, { kind: "user" }>): string | ChatCompletionContentPart[] {
	if (images.length === 0) return text;
	return [
		...textPart(text),
		...images.map((image) => ({ type: "image_url" as const, image_url: { url: imageUrl(image) } })),
	];
}

function textPart(text: string): ChatCompletionContentPart[] {
	return text === "" ? [] : [{ type: "text", text }];
}

type Answer = Extract<Exchange, { kind: "answer" }>;

function assistantMessage({ text, reasoning, calls }: Answer, quirks: Quirks): Message {
	return {
		role: "assistant",
		// Some servers refuse null here.
		content: text,
		...(reasoning === "" || !quirks.has("reasoning-back") ? {} : { reasoning_content: reasoning }),
		...(calls.length === 0 ? {} : { tool_calls: calls.map(({ call }) => toToolCall(call)) }),
	};
}

function toToolCall({ callId, name, arguments: args }: Call) {
	const call = { name: wireName(name), arguments: wireArguments(args) };
	return { id: wireCallId(callId), type: "function" as const, function: call };
}

function toOutput({ call, output }: Answer["calls"][number]): Message {
	return { role: "tool", tool_call_id: wireCallId(call.callId), content: output };
}

function toTool({ name, description, parameters }: ModelRequest["tools"][number]) {
	return { type: "function" as const, function: { name, description, parameters: { ...parameters } } };
}

/** For templates that require alternating roles: adjacent messages of one role are joined. */
function joinNeighbours(messages: readonly Message[]): readonly Message[] {
	const joined: Message[] = [];
	for (const message of messages) {
		const before = joined.at(-1);
		const alike = before?.role === message.role && message.role !== "tool" && !("tool_calls" in before);
		// The role is the same as in `before`, so the later message's other fields fit.
		if (alike) joined[joined.length - 1] = { ...message, content: joinContent(before, message) } as Message;
		else joined.push(message);
	}
	return joined;
}

function joinContent({ content: a }: Message, { content: b }: Message): unknown {
	if (typeof a === "string" && typeof b === "string") return `${a}\n\n${b}`;
	return [a, b].flatMap<unknown>((content) => (typeof content === "string" ? textPart(content) : (content ?? [])));
}

function chooseFormat({ outputSchema }: ModelRequest, quirks: Quirks): object {
	if (outputSchema === undefined || quirks.has("no-json_object")) return {};
	if (quirks.has("no-json_schema")) return { response_format: { type: "json_object" } };
	const { name, schema } = outputSchema;
	return { response_format: { type: "json_schema", json_schema: { name, schema: { ...schema }, strict: true } } };
}

function schemaInWords({ outputSchema }: ModelRequest, role: HostRole, quirks: Quirks): readonly Message[] {
	if (outputSchema === undefined || !(quirks.has("no-json_schema") || quirks.has("no-json_object"))) return [];
	return [hostMessage(role, askInWords(outputSchema))];
}
