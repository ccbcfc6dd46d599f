import type {
	ChatCompletionCreateParamsStreaming,
	ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { HistoryItem } from "../../history/item.ts";
import type { ModelRequest } from "../port.ts";
import { wireArguments, wireCallId, wireName } from "./names.ts";
import { type Quirks, withoutRefused } from "./quirks.ts";
import { serviceTier } from "./responses-body.ts";
import { askInWords } from "./schema.ts";

/** How a server takes what neither the user nor the model said. */
type HostRole = "developer" | "system" | "user";

type Message = ChatCompletionMessageParam & { readonly reasoning_content?: string };

const HOST_LABEL = "[From the Vitrine host, not from the user]";

/** The body of a Chat Completions request, as this server is known to take it. */
export function toChatBody(
	request: ModelRequest,
	quirks: Quirks,
	/** OpenAI's own service knows the developer role and keys its cache; others often take neither. */
	server: "openai" | "other",
): ChatCompletionCreateParamsStreaming {
	const role = hostRole(quirks, server);
	const messages = [
		...(request.instructions === "" ? [] : [hostMessage(role, request.instructions)]),
		...toMessages(request.input, role, quirks),
		...schemaInWords(request, role, quirks),
	];
	const body = {
		model: request.model,
		messages: quirks.has("roles-alternate") ? joinNeighbours(messages) : messages,
		...(request.tools.length === 0 || quirks.has("no-tools") ? {} : { tools: request.tools.map(toTool) }),
		stream: true,
		stream_options: { include_usage: true },
		...(server === "openai" ? { prompt_cache_key: request.cacheKey } : {}),
		...(request.reasoningEffort === undefined ? {} : { reasoning_effort: request.reasoningEffort }),
		...(request.verbosity === undefined ? {} : { verbosity: request.verbosity }),
		...formatOf(request, quirks),
		...serviceTier(request.serviceTier),
	};
	// The library's enums trail the settings' by a release or two; the server has the last word on both.
	return withoutRefused(body, quirks) as ChatCompletionCreateParamsStreaming;
}

function hostRole(quirks: Quirks, server: "openai" | "other"): HostRole {
	if (quirks.has("no-system-role")) return "user";
	return server === "openai" && !quirks.has("no-developer-role") ? "developer" : "system";
}

function hostMessage(role: HostRole, content: string): Message {
	return role === "user" ? { role, content: `${HOST_LABEL}\n${content}` } : { role, content };
}

/** Each answer becomes one assistant message with its calls, directly followed by their outputs, as servers demand. */
function toMessages(items: readonly HistoryItem[], role: HostRole, quirks: Quirks): readonly Message[] {
	const outputs = new Map(items.flatMap((item) => (item.kind === "toolOutput" ? [[item.callId, item.output]] : [])));
	const messages: Message[] = [];
	let reasoning = "";
	for (let index = 0; index < items.length; index += 1) {
		const item = items[index];
		if (item === undefined || item.kind === "toolOutput") continue;
		if (item.kind === "reasoning") {
			if (quirks.has("reasoning-back") && item.encrypted === undefined) reasoning += item.summary.join("\n");
			continue;
		}
		if (item.kind !== "agentMessage" && item.kind !== "toolCall") {
			reasoning = "";
			const isHost = item.kind === "fragment" && item.role === "developer";
			messages.push(isHost ? hostMessage(role, item.text) : { role: "user", content: item.text });
			continue;
		}
		const calls = callsFrom(items, item.kind === "toolCall" ? index : index + 1);
		const text = item.kind === "agentMessage" ? item.text : "";
		messages.push(assistantMessage(text, calls, reasoning), ...calls.map((call) => outputOf(call, outputs)));
		reasoning = "";
		index += item.kind === "toolCall" ? calls.length - 1 : calls.length;
	}
	return messages;
}

type Call = Extract<HistoryItem, { kind: "toolCall" }>;

function callsFrom(items: readonly HistoryItem[], start: number): readonly Call[] {
	const calls: Call[] = [];
	for (let index = start; ; index += 1) {
		const item = items[index];
		if (item?.kind !== "toolCall") return calls;
		calls.push(item);
	}
}

function assistantMessage(text: string, calls: readonly Call[], reasoning: string): Message {
	return {
		role: "assistant",
		// Without calls a message must have content, with them some servers refuse null.
		content: text,
		...(reasoning === "" ? {} : { reasoning_content: reasoning }),
		...(calls.length === 0 ? {} : { tool_calls: calls.map(toToolCall) }),
	};
}

function toToolCall({ callId, name, arguments: args }: Call) {
	const call = { name: wireName(name), arguments: wireArguments(args) };
	return { id: wireCallId(callId), type: "function" as const, function: call };
}

function outputOf({ callId }: Call, outputs: ReadonlyMap<string, string>): Message {
	return { role: "tool", tool_call_id: wireCallId(callId), content: outputs.get(callId) ?? "" };
}

function toTool({ name, description, parameters }: ModelRequest["tools"][number]) {
	return { type: "function" as const, function: { name, description, parameters: { ...parameters } } };
}

/** For templates that want user and assistant in turn: what stands side by side under one role becomes one message. */
function joinNeighbours(messages: readonly Message[]): readonly Message[] {
	const joined: Message[] = [];
	for (const message of messages) {
		const before = joined.at(-1);
		const alike = before?.role === message.role && message.role !== "tool" && !("tool_calls" in before);
		if (!alike || typeof before?.content !== "string" || typeof message.content !== "string") joined.push(message);
		// Same role as `before`, so the later message's other fields fit.
		else joined[joined.length - 1] = { ...message, content: `${before.content}\n\n${message.content}` } as Message;
	}
	return joined;
}

function formatOf({ outputSchema }: ModelRequest, quirks: Quirks): object {
	if (outputSchema === undefined || quirks.has("no-json_object")) return {};
	if (quirks.has("no-json_schema")) return { response_format: { type: "json_object" } };
	const { name, schema } = outputSchema;
	return { response_format: { type: "json_schema", json_schema: { name, schema: { ...schema }, strict: true } } };
}

function schemaInWords({ outputSchema }: ModelRequest, role: HostRole, quirks: Quirks): readonly Message[] {
	if (outputSchema === undefined || !(quirks.has("no-json_schema") || quirks.has("no-json_object"))) return [];
	return [hostMessage(role, askInWords(outputSchema))];
}
