import assert from "node:assert/strict";
import { test } from "node:test";
import { type ModelEvent, ModelFailure } from "../../../agent-host/model/port.ts";
import { readAnswer, type WireReader } from "../../../agent-host/model/wires/answer.ts";
import { createChatReader } from "../../../agent-host/model/wires/chat/events.ts";
import { createResponsesReader } from "../../../agent-host/model/wires/responses/events.ts";

const READERS = {
	chat: () => createChatReader(new Set(["taken"]), "s", []),
	responses: () => createResponsesReader("s", []),
} as const satisfies Record<string, () => WireReader>;

/** What is said and called, and how it ends: whole, or as which failure, to be tried again or not. */
interface Outcome {
	readonly text?: string;
	readonly calls?: readonly string[];
	readonly end: string;
}

type Row = readonly [what: string, wire: keyof typeof READERS, body: string, outcome: Outcome];

const said = (content: unknown, finish: string | null = null) =>
	event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
const called = (pieces: unknown, finish: string | null = null) =>
	event({ choices: [{ index: 0, delta: { tool_calls: pieces }, finish_reason: finish }] });
const piece = (index: unknown, id: unknown, args: unknown) => ({ index, id, function: { name: "f", arguments: args } });
const DONE = "data: [DONE]\n\n";
const DEEP = "[".repeat(100_000) + "]".repeat(100_000);

const delta = (text: string, fields: object = { output_index: 0 }) =>
	event({ type: "response.output_text.delta", delta: text, ...fields });
const item = (fields: object, index: number | undefined = 0) =>
	event({ type: "response.output_item.done", output_index: index, item: fields });
const message = (text: unknown) => ({ type: "message", content: [{ type: "output_text", text }] });
const functionCall = (fields: object) => ({ type: "function_call", name: "f", arguments: "{}", ...fields });
const completed = (response: unknown = {}) => event({ type: "response.completed", response });

const WHOLE: Outcome = { text: "Hi.", end: "completed" };

const ROWS: readonly Row[] = [
	[
		"an error in the shape of one server",
		"chat",
		said("Hi") + event({ object: "error", message: "No.", code: 400 }) + DONE,
		{ text: "Hi", end: "bad-request" },
	],
	[
		"an error that is only a message",
		"chat",
		said("Hi") + event({ message: "Overloaded." }) + DONE,
		{ text: "Hi", end: "server, again" },
	],
	[
		"an error with a status for its code",
		"chat",
		event({ error: { code: 429, message: "Retry in 2s." }, choices: [] }),
		{ end: "rate-limit, again" },
	],
	["a refused key in the stream", "chat", event({ error: { code: "401", message: "No." } }), { end: "auth" }],
	[
		"an empty account in the stream",
		"chat",
		event({ error: { code: 402, message: "Insufficient credits" } }),
		{ end: "rate-limit" },
	],
	["an error that is true", "chat", event({ error: true }), { end: "server, again" }],
	[
		"an error that is a list",
		"chat",
		event({ error: [{ message: "maximum context length is 4096" }] }),
		{ end: "context-too-long" },
	],
	["events with nothing in them", "chat", `data:\n\n${said("Hi")}data\n\n${said(".", "stop")}`, WHOLE],
	[
		"arguments nested without end",
		"chat",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":${DEEP}}}]}}]}\n\n`,
		{ end: "bad-stream, again" },
	],
	["an error nested without end", "chat", `data: {"error":${DEEP}}\n\n`, { end: "server, again" }],
	["errors that are none", "chat", event({ error: null, choices: [] }) + said("Hi.", "stop"), WHOLE],
	["an end because of an error", "chat", called([piece(0, "a", "{}")], "error") + DONE, { end: "bad-stream, again" }],
	[
		"an end because it was aborted",
		"chat",
		called([piece(0, "a", "{}")], "abort") + DONE,
		{ end: "bad-stream, again" },
	],
	[
		"an end at another word for the limit",
		"chat",
		called([piece(0, "a", "{}")], "MAX_TOKENS") + DONE,
		{ end: "bad-stream" },
	],
	["an end for reasons of its own", "chat", said("Hi.", "eos_token"), WHOLE],
	["nothing but the word for the end", "chat", DONE, { end: "bad-stream, again" }],
	[
		"nothing but a greeting and the word for the end",
		"chat",
		event({ choices: [{ delta: { role: "assistant" } }] }) + DONE,
		{ end: "bad-stream, again" },
	],
	[
		"a call with a piece that is no piece",
		"chat",
		called([piece(0, "a", '{"x":1')]) + called([5]) + called([piece(0, "a", "}")], "tool_calls"),
		{ end: "bad-stream, again" },
	],
	[
		"a call with an index that is none",
		"chat",
		called([piece({}, "a", "{}")], "tool_calls"),
		{ end: "bad-stream, again" },
	],
	["calls that are no list", "chat", called("f()", "tool_calls"), { end: "bad-stream, again" }],
	[
		"one call that is no list",
		"chat",
		called(piece(0, "a", "{}"), "tool_calls"),
		{ calls: ["a f {}"], end: "completed" },
	],
	[
		"indices and ids of other types",
		"chat",
		called([piece("0", 7, '{"x"')]) + called([piece("0", 7, ":1}")], "tool_calls"),
		{ calls: ['7 f {"x":1}'], end: "completed" },
	],
	[
		"one id for two calls",
		"chat",
		called([piece(0, "a", '{"x":1}'), piece(1, "a", '{"x":2}')], "tool_calls"),
		{ calls: ['a f {"x":1}', 'a-2 f {"x":2}'], end: "completed" },
	],
	[
		"one call at two places",
		"chat",
		called([piece(0, "a", "{}"), piece(1, "a", "{}")], "tool_calls"),
		{ calls: ["a f {}"], end: "completed" },
	],
	[
		"an id of an earlier turn",
		"chat",
		called([piece(0, "taken", "{}")], "tool_calls"),
		{ calls: ["taken-1 f {}"], end: "completed" },
	],
	[
		"arguments that are a number",
		"chat",
		called([piece(0, "a", 5)], "tool_calls"),
		{ calls: ["a f 5"], end: "completed" },
	],
	[
		"arguments split in an escape and in a character",
		"chat",
		called([piece(0, "a", '{"x":"\\')]) +
			called([piece(0, "a", "n\ud83d")]) +
			called([piece(0, "a", '\ude00"}')], "tool_calls"),
		{ calls: ['a f {"x":"\\n😀"}'], end: "completed" },
	],
	[
		"a body of JSON under the name of a stream",
		"chat",
		JSON.stringify({ choices: [{ index: 0, message: { content: "Hi." }, finish_reason: "stop" }] }),
		WHOLE,
	],
	[
		"a refusal of JSON under the name of a stream",
		"chat",
		'\ufeff \n{"error":{"message":"No.","code":"invalid_api_key"}}',
		{ end: "auth" },
	],
	["a cut body of JSON", "chat", '{"choices":[{"message":{"content":"Hi', { end: "bad-stream, again" }],
	[
		"line ends of another system and a mark at the start",
		"chat",
		`\ufeff: hello\r\n\r\n${said("Hi.", "stop").replaceAll("\n", "\r\n")}`,
		WHOLE,
	],

	["a text that is never called whole", "responses", delta("Hi") + delta(".") + completed(), WHOLE],
	["a text whose whole is empty", "responses", delta("Hi.") + item(message("")) + completed(), WHOLE],
	[
		"a text whose whole cannot be read",
		"responses",
		delta("Hi.") + item({ type: "message", content: 5 }) + completed(),
		WHOLE,
	],
	[
		"a text that comes whole in the last event",
		"responses",
		delta("Hi.") + completed({ output: [message("Hi.")] }),
		WHOLE,
	],
	[
		"a text that the last event has at another place",
		"responses",
		delta("Hi.", { output_index: 1 }) + completed({ output: [message("Hi.")] }),
		WHOLE,
	],
	["two texts in the last event only", "responses", completed({ output: [message("H"), message("i.")] }), WHOLE],
	["a text without a place", "responses", delta("Hi.", {}) + item(message("Hi."), undefined) + completed(), WHOLE],
	["content that is no list", "responses", item({ type: "message", content: "Hi." }) + completed(), WHOLE],
	[
		"a part of content that is null",
		"responses",
		item({ type: "message", content: [{ text: null }, { text: "Hi." }] }) + completed(),
		WHOLE,
	],
	["an end with nothing in it", "responses", item(message("Hi.")) + completed(null), WHOLE],
	["an end with nonsense in it", "responses", item(message("Hi.")) + completed({ output: 5, usage: [] }), WHOLE],
	[
		"a call without an id of its own",
		"responses",
		item(functionCall({ id: "fc_1" })) + completed(),
		{ calls: ["fc_1 f {}"], end: "completed" },
	],
	[
		"arguments that are no string",
		"responses",
		item(functionCall({ call_id: "a", arguments: { x: 1 } })) + completed(),
		{ calls: ['a f {"x":1}'], end: "completed" },
	],
	[
		"one id for two calls",
		"responses",
		item(functionCall({ call_id: "a" })) + item(functionCall({ call_id: "a", arguments: "[]" }), 1) + completed(),
		{ calls: ["a f {}"], end: "completed" },
	],
	[
		"calls and no end",
		"responses",
		item(functionCall({ call_id: "a" })),
		{ calls: ["a f {}"], end: "bad-stream, again" },
	],
	[
		"the other wire's word for the end",
		"responses",
		item(functionCall({ call_id: "a" })) + DONE,
		{ calls: ["a f {}"], end: "bad-stream, again" },
	],
	[
		"a failure with nothing in it",
		"responses",
		delta("Hi") + event({ type: "response.failed" }),
		{ text: "Hi", end: "server, again" },
	],
	[
		"a stop with nothing in it",
		"responses",
		delta("Hi") + event({ type: "response.incomplete", response: null }),
		{ text: "Hi", end: "bad-stream" },
	],
	[
		"a failure of a gateway",
		"responses",
		delta("Hi") + event({ error: { code: 503, message: "Busy." } }),
		{ text: "Hi", end: "server, again" },
	],
	[
		"a refused key in the stream",
		"responses",
		event({ type: "error", error: { code: "invalid_api_key", message: "No." } }),
		{ end: "auth" },
	],
	[
		"an unknown model in the stream",
		"responses",
		event({ type: "error", code: "model_not_found", message: "No." }),
		{ end: "model-not-found" },
	],
	[
		"a body that does not stream",
		"responses",
		JSON.stringify({
			object: "response",
			status: "completed",
			error: null,
			output: [message("Hi."), functionCall({ call_id: "a" })],
		}),
		{ ...WHOLE, calls: ["a f {}"] },
	],
	[
		"a cut answer that does not stream",
		"responses",
		JSON.stringify({
			object: "response",
			status: "incomplete",
			incomplete_details: { reason: "max_output_tokens" },
			output: [functionCall({ call_id: "a" })],
		}),
		{ end: "bad-stream" },
	],
	[
		"a failure that does not stream",
		"responses",
		JSON.stringify({ object: "response", status: "failed", error: { code: "server_error", message: "No." } }),
		{ end: "server, again" },
	],
];

for (const [what, wire, body, outcome] of ROWS) {
	test(`${wire}: ${what} comes to “${outcome.end}”`, async () => {
		assert.deepEqual(await outcomeOf(body, READERS[wire]()), { text: "", calls: [], ...outcome });
	});
}

test("an answer that is over is not waited for when its server neither says so nor closes", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const asked = Promise.withResolvers<void>();
	const bytes = [Buffer.from(called([piece(0, "a", "{}")], "tool_calls"))];
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			const next = bytes.shift();
			if (next !== undefined) return controller.enqueue(next);
			asked.resolve();
			return new Promise(() => undefined);
		},
	});
	const outcome = outcomeOf(body, READERS.chat());
	await asked.promise;
	await new Promise(setImmediate);
	t.mock.timers.tick(3_000);
	assert.deepEqual(await outcome, { text: "", calls: ["a f {}"], end: "completed" });
});

function event(fields: object): string {
	return `data: ${JSON.stringify(fields)}\n\n`;
}

async function outcomeOf(body: BodyInit, reader: WireReader): Promise<Required<Outcome>> {
	const events: ModelEvent[] = [];
	const answer = new Response(body, { headers: { "content-type": "text/event-stream" } });
	try {
		for await (const one of readAnswer(answer, reader, "http://s", new AbortController().signal)) events.push(one);
	} catch (error) {
		if (!(error instanceof ModelFailure)) throw error;
		return { ...heard(events), end: error.retryable ? `${error.code}, again` : error.code };
	}
	return { ...heard(events), end: events.at(-1)?.type ?? "nothing" };
}

/** The text as it is kept: of whole items where there are any, else what was streamed. */
function heard(events: readonly ModelEvent[]): { readonly text: string; readonly calls: readonly string[] } {
	const items = events.flatMap((one) => (one.type === "item" ? [one.item] : []));
	const whole = items.flatMap((one) => (one.kind === "agentMessage" ? [one.text] : []));
	const streamed = events.flatMap((one) => (one.type === "delta" ? [one.text] : []));
	const calls = items.flatMap((one) => (one.kind === "toolCall" ? [`${one.callId} ${one.name} ${one.arguments}`] : []));
	return { text: (whole.length > 0 ? whole : streamed).join(""), calls };
}
