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
import { nameSeal } from "../refusals/sealed-parts.ts";
import { serviceTier } from "../responses/responses-body.ts";
import { type ChatServer, callIdForm, wantsAnswers, wantsReasoning, wantsSignatures } from "./chat-server.ts";

/** The role for host messages that a server accepts. */
type HostRole = "developer" | "system" | "user";

type Message = ChatCompletionMessageParam & {
	readonly reasoning_content?: string;
	readonly reasoning_details?: unknown;
};

/** Who gets a request, and what was learned about them. */
export interface ChatReader {
	readonly quirks: Quirks;
	readonly server: ChatServer;
	/** Identifies the model, whose own reasoning and signatures go back to it alone. */
	readonly source: string;
	/** Sealed parts that the server cannot read. */
	readonly refusedSeals: ReadonlySet<string>;
}

/** The body of a Chat Completions request in the form this server accepts. */
export function toChatBody(request: ModelRequest, reader: ChatReader): ChatCompletionCreateParamsStreaming {
	const { quirks, server, source } = reader;
	const role = hostRole(quirks, server);
	const effort = effortFor(request.reasoningEffort, acceptedEfforts(quirks));
	const said = [
		...(request.instructions === "" ? [] : [hostMessage(role, request.instructions)]),
		...toExchanges(request.input, source).flatMap((exchange) => toMessages(exchange, role, reader)),
		...schemaInWords(request, role, quirks),
	];
	const messages = wantsAnswers(server, quirks) ? answerTools(said) : said;
	const body = {
		model: request.model,
		messages: quirks.has("roles-alternate") ? joinNeighbours(messages) : messages,
		...(request.tools.length === 0 || quirks.has("no-tools")
			? {}
			: { tools: request.tools.map(toTool), ...streamsCalls(server) }),
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

/** Without it, the arguments of a call arrive in one piece at the end. */
function streamsCalls(server: ChatServer): object {
	return server === "zai" ? { tool_stream: true } : {};
}

// OpenAI's own service supports the developer role; others often do not.
function hostRole(quirks: Quirks, server: ChatServer): HostRole {
	if (quirks.has("no-system-role")) return "user";
	return server === "openai" && !quirks.has("no-developer-role") ? "developer" : "system";
}

function hostMessage(role: HostRole, content: string): Message {
	return role === "user" ? { role, content: labelled(content) } : { role, content };
}

/** Each answer becomes one assistant message with its calls, directly followed by their outputs, as servers require. */
function toMessages(exchange: Exchange, role: HostRole, reader: ChatReader): readonly Message[] {
	switch (exchange.kind) {
		case "host":
			return [hostMessage(role, exchange.text)];
		case "user":
			return [{ role: "user", content: userContent(exchange) }];
		case "answer":
			return splitCalls(exchange, reader.quirks).flatMap((answer) =>
				reader.quirks.has("calls-in-words")
					? tellCalls(answer, reader)
					: [assistantMessage(answer, reader), ...answer.calls.map((answered) => toOutput(answered, reader))],
			);
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

/** An answer with its calls as text, and their outputs as text of the other side, for templates without any calls. */
function tellCalls(answer: Answer, reader: ChatReader): readonly Message[] {
	if (answer.calls.length === 0) return [assistantMessage(answer, reader)];
	const calls = answer.calls.map(({ call }) => `[Called ${call.name} with ${wireArguments(call.arguments)}]`);
	const text = [answer.text, ...calls].filter((part) => part !== "").join("\n\n");
	const outputs = answer.calls.map(({ call, output }) => `[Output of ${call.name}, not from the user]\n${output}`);
	return [assistantMessage({ ...answer, text, calls: [] }, reader), { role: "user", content: outputs.join("\n\n") }];
}

type Answer = Extract<Exchange, { kind: "answer" }>;

/** For templates that take one call in a message: each call has its own, and its output follows. */
function splitCalls(answer: Answer, quirks: Quirks): readonly Answer[] {
	if (!quirks.has("single-calls") || answer.calls.length < 2) return [answer];
	return answer.calls.map((call, index) =>
		index === 0 ? { ...answer, calls: [call] } : { ...answer, text: "", reasoning: "", extra: {}, calls: [call] },
	);
}

function assistantMessage({ text, reasoning, extra, calls }: Answer, reader: ChatReader): Message {
	const { quirks, server, refusedSeals } = reader;
	const { reasoning_details: details } = extra;
	const hasReasoning = reasoning !== "" || calls.length > 0;
	return {
		role: "assistant",
		// Some servers refuse null here.
		content: text,
		// Where reasoning is required it is required with every call, also where there was none.
		...(hasReasoning && wantsReasoning(server, quirks) ? { reasoning_content: reasoning } : {}),
		...(details === undefined || refusedSeals.has(nameSeal(details)) ? {} : { reasoning_details: details }),
		...(calls.length === 0
			? {}
			: { tool_calls: calls.map(({ call }, index) => toToolCall(call, index === 0, reader)) }),
	};
}

function toToolCall({ callId, name, arguments: args, extra }: Call, isFirst: boolean, reader: ChatReader) {
	const { quirks, server, refusedSeals } = reader;
	const call = { name: wireName(name), arguments: wireArguments(args) };
	const own = extra?.extra_content;
	const isReadable = own !== undefined && !refusedSeals.has(nameSeal(own));
	const signature = isReadable ? own : isFirst && wantsSignatures(server, quirks) ? NO_SIGNATURE : undefined;
	return {
		id: wireCallId(callId, callIdForm(server, quirks)),
		type: "function" as const,
		function: call,
		...(signature === undefined ? {} : { extra_content: signature }),
	};
}

/** Google's documented stand-in for calls that its model never signed. */
const NO_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };

function toOutput({ call, output }: Answer["calls"][number], { server, quirks }: ChatReader): Message {
	return { role: "tool", tool_call_id: wireCallId(call.callId, callIdForm(server, quirks)), content: output };
}

function toTool({ name, description, parameters }: ModelRequest["tools"][number]) {
	return { type: "function" as const, function: { name, description, parameters: { ...parameters } } };
}

/** A short answer after results that the model did not come to answer before the user or the host spoke. */
function answerTools(messages: readonly Message[]): readonly Message[] {
	return messages.flatMap((message, index) => {
		const isAnswered = message.role === "assistant" || message.role === "tool";
		return isAnswered || messages[index - 1]?.role !== "tool" ? [message] : [STAND_IN, message];
	});
}

/** Not empty, because servers refuse an answer without text and calls. */
const STAND_IN: Message = { role: "assistant", content: "OK." };

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
