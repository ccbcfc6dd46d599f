import assert from "node:assert/strict";
import { test } from "node:test";
import { createChatReader } from "../../../agent-host/model/wires/chat/chat-events.ts";
import { event, type Outcome, outcomeOf, type StreamRow, withoutEach } from "../../support/read-stream.ts";

const reader = () => createChatReader(new Set(["taken"]), "s", []);

const said = (content: unknown, finish: string | null = null) =>
	event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
const called = (pieces: unknown, finish: string | null = null) =>
	event({ choices: [{ index: 0, delta: { tool_calls: pieces }, finish_reason: finish }] });
const piece = (index: unknown, id: unknown, args: unknown) => ({ index, id, function: { name: "f", arguments: args } });
const DONE = "data: [DONE]\n\n";
const DEEP = "[".repeat(100_000) + "]".repeat(100_000);

const WHOLE: Outcome = { text: "Hi.", end: "completed" };

const ROWS: readonly StreamRow[] = [
	[
		"an error in the shape of one server",
		said("Hi") + event({ object: "error", message: "No.", code: 400 }) + DONE,
		{ text: "Hi", end: "bad-request" },
	],
	[
		"an error that is only a message",
		said("Hi") + event({ message: "Overloaded." }) + DONE,
		{ text: "Hi", end: "server, again" },
	],
	[
		"an error with a status for its code",
		event({ error: { code: 429, message: "Retry in 2s." }, choices: [] }),
		{ end: "rate-limit, again" },
	],
	["a refused key in the stream", event({ error: { code: "401", message: "No." } }), { end: "auth" }],
	[
		"an empty account in the stream",
		event({ error: { code: 402, message: "Insufficient credits" } }),
		{ end: "rate-limit" },
	],
	["an error that is true", event({ error: true }), { end: "server, again" }],
	[
		"an error that is a list",
		event({ error: [{ message: "maximum context length is 4096" }] }),
		{ end: "context-too-long" },
	],
	["events with nothing in them", `data:\n\n${said("Hi")}data\n\n${said(".", "stop")}`, WHOLE],
	[
		"arguments nested without end",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":${DEEP}}}]}}]}\n\n`,
		{ end: "bad-stream, again" },
	],
	["an error nested without end", `data: {"error":${DEEP}}\n\n`, { end: "server, again" }],
	["errors that are none", event({ error: null, choices: [] }) + said("Hi.", "stop"), WHOLE],
	["an end because of an error", called([piece(0, "a", "{}")], "error") + DONE, { end: "bad-stream, again" }],
	["an end because it was aborted", called([piece(0, "a", "{}")], "abort") + DONE, { end: "bad-stream, again" }],
	["an end at another word for the limit", called([piece(0, "a", "{}")], "MAX_TOKENS") + DONE, { end: "bad-stream" }],
	[
		"an end because the window is full",
		called([piece(0, "a", "{}")], "model_context_window_exceeded") + DONE,
		{ end: "context-too-long" },
	],
	["an end for reasons of its own", said("Hi.", "eos_token"), WHOLE],
	...["content_filter: PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "guardrail_intervened", "refusal"].map(
		(reason): StreamRow => [
			`an end that withholds the rest, called ${reason}`,
			said("Hi") + called([piece(0, "a", "{}")], reason) + DONE,
			{ text: "Hi", end: "bad-stream" },
		],
	),
	...["function_call_filter: MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "malformed_function_call"].map(
		(reason): StreamRow => [
			`an end at an unreadable call, called ${reason}`,
			said("I look.") + said("", reason) + DONE,
			{ text: "I look.", end: "bad-stream, again" },
		],
	),
	["the word null for no end", said("Hi", "null") + said(".", "null") + said("", "stop") + DONE, WHOLE],
	["the word null for no end, cut", said("Hi", "null") + said(".", "null"), { text: "Hi.", end: "bad-stream, again" }],
	[
		"an end because of an error that is told beside it",
		event({ choices: [{ delta: {}, finish_reason: "error", error: { code: 402, message: "No credits." } }] }),
		{ end: "rate-limit" },
	],
	[
		"an empty account, as MiniMax says it with a success",
		JSON.stringify({ choices: null, base_resp: { status_code: 1008, status_msg: "insufficient balance" } }),
		{ end: "rate-limit" },
	],
	[
		"a refused key, as MiniMax says it",
		event({ base_resp: { status_code: 1004, status_msg: "login fail" } }),
		{ end: "auth" },
	],
	[
		"an account of MiniMax with nothing amiss",
		said("Hi.") + event({ choices: [], base_resp: { status_code: 0, status_msg: "" } }) + said("", "stop"),
		WHOLE,
	],
	[
		"an error in a list of Cloudflare",
		JSON.stringify({ success: false, errors: [{ code: 5006, message: "maximum context length is 4096" }] }),
		{ end: "context-too-long" },
	],
	["an error that is only a msg", event({ status: "434", msg: "Invalid API key" }), { end: "auth" }],
	["nothing but the word for the end", DONE, { end: "bad-stream, again" }],
	[
		"nothing but a greeting and the word for the end",
		event({ choices: [{ delta: { role: "assistant" } }] }) + DONE,
		{ end: "bad-stream, again" },
	],
	[
		"a call with a piece that is no piece",
		called([piece(0, "a", '{"x":1')]) + called([5]) + called([piece(0, "a", "}")], "tool_calls"),
		{ end: "bad-stream, again" },
	],
	["a call with an index that is none", called([piece({}, "a", "{}")], "tool_calls"), { end: "bad-stream, again" }],
	["calls that are no list", called("f()", "tool_calls"), { end: "bad-stream, again" }],
	["one call that is no list", called(piece(0, "a", "{}"), "tool_calls"), { calls: ["a f {}"], end: "completed" }],
	[
		"indices and ids of other types",
		called([piece("0", 7, '{"x"')]) + called([piece("0", 7, ":1}")], "tool_calls"),
		{ calls: ['7 f {"x":1}'], end: "completed" },
	],
	[
		"one id for two calls",
		called([piece(0, "a", '{"x":1}'), piece(1, "a", '{"x":2}')], "tool_calls"),
		{ calls: ['a f {"x":1}', 'a-2 f {"x":2}'], end: "completed" },
	],
	[
		"one call at two places",
		called([piece(0, "a", "{}"), piece(1, "a", "{}")], "tool_calls"),
		{ calls: ["a f {}"], end: "completed" },
	],
	[
		"an id of an earlier turn",
		called([piece(0, "taken", "{}")], "tool_calls"),
		{ calls: ["taken-1 f {}"], end: "completed" },
	],
	["arguments that are a number", called([piece(0, "a", 5)], "tool_calls"), { calls: ["a f 5"], end: "completed" }],
	[
		"arguments split in an escape and in a character",
		called([piece(0, "a", '{"x":"\\')]) +
			called([piece(0, "a", "n\ud83d")]) +
			called([piece(0, "a", '\ude00"}')], "tool_calls"),
		{ calls: ['a f {"x":"\\n😀"}'], end: "completed" },
	],
	[
		"a body of JSON under the name of a stream",
		JSON.stringify({ choices: [{ index: 0, message: { content: "Hi." }, finish_reason: "stop" }] }),
		WHOLE,
	],
	[
		"a refusal of JSON under the name of a stream",
		'\ufeff \n{"error":{"message":"No.","code":"invalid_api_key"}}',
		{ end: "auth" },
	],
	[
		"events without an empty line between them",
		`data: ${JSON.stringify({ choices: [{ delta: { content: "Hi" } }] })}\n${said(".", "stop").trimEnd()}\n${DONE}`,
		WHOLE,
	],
	[
		"an event on several lines",
		`data: {"choices": [\ndata:   {"delta": {"content": "Hi."}, "finish_reason": "stop"}\ndata: ]}\n\n${DONE}`,
		WHOLE,
	],
	[
		"a line of nonsense below an event",
		`data: ${JSON.stringify({ choices: [{ delta: { content: "Hi." } }] })}\ndata: {"choices":\n\n${DONE}`,
		{ text: "Hi.", end: "bad-stream, again" },
	],
	["a cut body of JSON", '{"choices":[{"message":{"content":"Hi', { end: "bad-stream, again" }],
	[
		"line ends of another system and a mark at the start",
		`\ufeff: hello\r\n\r\n${said("Hi.", "stop").replaceAll("\n", "\r\n")}`,
		WHOLE,
	],
];

for (const [what, body, outcome] of ROWS) {
	test(`chat: ${what} ends as “${outcome.end}”`, async () => {
		assert.deepEqual(await outcomeOf(body, reader()), { text: "", calls: [], ...outcome });
	});
}

test("a finished answer is not waited for if its server neither announces the end nor closes", async (t) => {
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
	const outcome = outcomeOf(body, reader());
	await asked.promise;
	await new Promise(setImmediate);
	t.mock.timers.tick(3_000);
	assert.deepEqual(await outcome, { text: "", calls: ["a f {}"], end: "completed" });
});

test("chat: with any field missing or null, an answer with a call makes it or fails, and never ends without it", async () => {
	const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } };
	const events = [
		{ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: null } }] },
		{ id: "1", choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] },
		{ id: "1", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
		{ id: "1", choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } },
	];
	for (const [path, changed] of withoutEach(events)) {
		const { calls, end } = await outcomeOf((changed as object[]).map(event).join("") + DONE, reader());
		assert.ok(end !== "completed" || calls.length === 1, `${path}: ${end}, ${calls.join()}`);
	}
});
