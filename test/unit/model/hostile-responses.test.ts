import assert from "node:assert/strict";
import { test } from "node:test";
import { createResponsesReader } from "../../../agent-host/model/wires/responses/responses-events.ts";
import { event, type Outcome, outcomeOf, type StreamRow, withoutEach } from "../../support/read-stream.ts";

const reader = () => createResponsesReader("s", [], []);

const delta = (text: string, fields: object = { output_index: 0 }) =>
	event({ type: "response.output_text.delta", delta: text, ...fields });
const numbered = (number: number, text: string) => delta(text, { output_index: 0, sequence_number: number });
const item = (fields: object, index: number | undefined = 0) =>
	event({ type: "response.output_item.done", output_index: index, item: fields });
const message = (text: unknown) => ({ type: "message", content: [{ type: "output_text", text }] });
const functionCall = (fields: object) => ({ type: "function_call", name: "f", arguments: "{}", ...fields });
const completed = (response: unknown = {}) => event({ type: "response.completed", response });
const DONE = "data: [DONE]\n\n";

const WHOLE: Outcome = { text: "Hi.", end: "completed" };
const A_CALL: Outcome = { calls: ["a f {}"], end: "completed" };

const failed = (code: string) =>
	event({ type: "response.failed", response: { status: "failed", error: { code, message: "No." } } });

const ROWS: readonly StreamRow[] = [
	...["cyber_policy", "bio_policy", "misalignment_policy_violation", "image_content_policy_violation"].map(
		(code): StreamRow => [`a refusal by the rule ${code}`, failed(code), { end: "bad-request" }],
	),
	...["invalid_image_format", "unsupported_image_media_type", "empty_image_file", "image_too_large"].map(
		(code): StreamRow => [`an image refused as ${code}`, failed(code), { end: "bad-request" }],
	),
	["a server that is busy", failed("server_is_overloaded"), { end: "server, again" }],
	["a text that is never called whole", delta("Hi") + delta(".") + completed(), WHOLE],
	["a text whose whole is empty", delta("Hi.") + item(message("")) + completed(), WHOLE],
	["a text whose whole cannot be read", delta("Hi.") + item({ type: "message", content: 5 }) + completed(), WHOLE],
	["a text that comes whole in the last event", delta("Hi.") + completed({ output: [message("Hi.")] }), WHOLE],
	[
		"a text that the last event has at another place",
		delta("Hi.", { output_index: 1 }) + completed({ output: [message("Hi.")] }),
		WHOLE,
	],
	["a delta that comes again at once", numbered(1, "Hi") + numbered(1, "Hi") + numbered(2, ".") + completed(), WHOLE],
	["a delta that comes again later", numbered(1, "Hi") + numbered(2, ".") + numbered(1, "Hi") + completed(), WHOLE],
	[
		"the same text under another number",
		numbered(1, "ha") + numbered(2, "ha") + completed(),
		{ ...WHOLE, text: "haha" },
	],
	["other texts under one number", numbered(0, "H") + numbered(0, "i") + numbered(0, ".") + completed(), WHOLE],
	["numbers that count down", numbered(3, "H") + numbered(2, "i") + numbered(1, ".") + completed(), WHOLE],
	["two texts in the last event only", completed({ output: [message("H"), message("i.")] }), WHOLE],
	["a text without a place", delta("Hi.", {}) + item(message("Hi."), undefined) + completed(), WHOLE],
	["content that is no list", item({ type: "message", content: "Hi." }) + completed(), WHOLE],
	[
		"a part of content that is null",
		item({ type: "message", content: [{ text: null }, { text: "Hi." }] }) + completed(),
		WHOLE,
	],
	["an end with nothing in it", item(message("Hi.")) + completed(null), WHOLE],
	["an end with nonsense in it", item(message("Hi.")) + completed({ output: 5, usage: [] }), WHOLE],
	[
		"a call without an id of its own",
		item(functionCall({ id: "fc_1" })) + completed(),
		{ calls: ["fc_1 f {}"], end: "completed" },
	],
	[
		"arguments that are no string",
		item(functionCall({ call_id: "a", arguments: { x: 1 } })) + completed(),
		{ calls: ['a f {"x":1}'], end: "completed" },
	],
	[
		"a call without arguments",
		item({ type: "function_call", call_id: "a", name: "f" }) + completed(),
		{ calls: ["a f {}"], end: "completed" },
	],
	["empty arguments", item(functionCall({ call_id: "a", arguments: "" })) + completed(), A_CALL],
	["arguments that are null", item(functionCall({ call_id: "a", arguments: null })) + completed(), A_CALL],
	[
		"arguments that were only streamed",
		event({ type: "response.function_call_arguments.delta", output_index: 0, delta: '{"x"' }) +
			event({ type: "response.function_call_arguments.delta", output_index: 0, delta: ":1}" }) +
			item({ type: "function_call", call_id: "a", name: "f" }) +
			completed(),
		{ calls: ['a f {"x":1}'], end: "completed" },
	],
	[
		"a call without arguments at the place of another one",
		event({ type: "response.function_call_arguments.delta", output_index: 0, delta: '{"x":1}' }) +
			item(functionCall({ call_id: "a", arguments: '{"x":1}' })) +
			item(functionCall({ call_id: "b" })) +
			completed(),
		{ calls: ['a f {"x":1}', "b f {}"], end: "completed" },
	],
	[
		"a call in plain text that says nothing",
		item({ type: "custom_tool_call", call_id: "a", name: "f" }) + completed(),
		{ calls: ['a f {"input":""}'], end: "completed" },
	],
	[
		"calls without any id, once more in the last event",
		item(functionCall({})) +
			item(functionCall({ arguments: "[]" }), 1) +
			completed({ output: [functionCall({}), functionCall({ arguments: "[]" })] }),
		{ calls: ["call f {}", "call-1 f []"], end: "completed" },
	],
	[
		"a call without a name",
		item(functionCall({ call_id: "a", name: null })) + completed(),
		{ end: "bad-stream, again" },
	],
	["a text whose whole has no content", delta("Hi.") + item({ type: "message" }) + completed(), WHOLE],
	["a text whose place is null", delta("Hi.", { output_index: null }) + completed(), WHOLE],
	[
		"one id for two calls",
		item(functionCall({ call_id: "a" })) + item(functionCall({ call_id: "a", arguments: "[]" }), 1) + completed(),
		{ calls: ["a f {}"], end: "completed" },
	],
	["calls and no end", item(functionCall({ call_id: "a" })), { calls: ["a f {}"], end: "bad-stream, again" }],
	[
		"the other wire's word for the end",
		item(functionCall({ call_id: "a" })) + DONE,
		{ calls: ["a f {}"], end: "bad-stream, again" },
	],
	[
		"a failure with nothing in it",
		delta("Hi") + event({ type: "response.failed" }),
		{ text: "Hi", end: "server, again" },
	],
	[
		"a stop with nothing in it",
		delta("Hi") + event({ type: "response.incomplete", response: null }),
		{ text: "Hi", end: "bad-stream" },
	],
	[
		"a failure of a gateway",
		delta("Hi") + event({ error: { code: 503, message: "Busy." } }),
		{ text: "Hi", end: "server, again" },
	],
	[
		"a refused key in the stream",
		event({ type: "error", error: { code: "invalid_api_key", message: "No." } }),
		{ end: "auth" },
	],
	[
		"an unknown model in the stream",
		event({ type: "error", code: "model_not_found", message: "No." }),
		{ end: "model-not-found" },
	],
	[
		"a cut answer under the name of a whole one",
		item(functionCall({ call_id: "a" })) +
			completed({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
		{ calls: ["a f {}"], end: "bad-stream" },
	],
	[
		"a failure under the name of a whole answer",
		completed({ status: "failed", error: { code: "server_error", message: "No." } }),
		{ end: "server, again" },
	],
	[
		"a body that does not stream",
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
		JSON.stringify({ object: "response", status: "failed", error: { code: "server_error", message: "No." } }),
		{ end: "server, again" },
	],
];

for (const [what, body, outcome] of ROWS) {
	test(`responses: ${what} ends as “${outcome.end}”`, async () => {
		assert.deepEqual(await outcomeOf(body, reader()), { text: "", calls: [], ...outcome });
	});
}

test("responses: reasoning and text without a place are two pieces, and each comes where it was said", () => {
	const call = { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: '{"x":1}' };
	const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "" };
	const said = { ...message("Hi."), id: "msg_1" };
	// As llama.cpp sends them: the whole items come at the end.
	const events = [
		{ type: "response.output_item.added", item: thought },
		{ type: "response.reasoning_text.delta", item_id: "rs_1", delta: "Hm." },
		{ type: "response.output_item.added", item: { ...said, content: [] } },
		{ type: "response.output_text.delta", item_id: "msg_1", delta: "Hi." },
		{ type: "response.output_item.added", item: { ...call, arguments: "" } },
		{ type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '{"x":1}' },
		{ type: "response.output_item.done", item: thought },
		{ type: "response.output_item.done", item: said },
		{ type: "response.output_item.done", item: call },
		{ type: "response.completed", response: { output: [thought, said, call] } },
	];
	for (const place of [{}, { output_index: 0 }]) {
		const one = reader();
		const heard = events.flatMap((each) => one.read({ ...each, ...place }));
		const [thinks, says] = heard.flatMap((each) => (each.type === "delta" ? [each.key] : []));
		assert.notEqual(thinks, says);
		assert.deepEqual(
			heard.filter(({ type }) => type !== "working"),
			[
				{ type: "delta", key: thinks, kind: "reasoning", text: "Hm." },
				{ type: "delta", key: says, kind: "agentMessage", text: "Hi." },
				{ type: "item", key: thinks, item: { kind: "reasoning", providerId: "rs_1", summary: [], source: "s" } },
				{ type: "item", key: says, item: { kind: "agentMessage", text: "Hi." } },
				{ type: "item", key: "toolCall-0", item: { kind: "toolCall", callId: "a", name: "f", arguments: '{"x":1}' } },
				{ type: "completed" },
			],
		);
	}
});

test("responses: with any field missing or null, an answer with a call makes it or fails, and never ends without it", async () => {
	const call = {
		type: "function_call",
		id: "fc_1",
		call_id: "a",
		name: "f",
		arguments: '{"x":1}',
		status: "completed",
	};
	const events = [
		{ type: "response.output_item.added", output_index: 0, item: { ...call, arguments: "" } },
		{ type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"x":1}' },
		{ type: "response.output_item.done", output_index: 0, item: call },
		{
			type: "response.completed",
			response: {
				object: "response",
				status: "completed",
				output: [call],
				usage: { input_tokens: 9, output_tokens: 9 },
			},
		},
	];
	for (const [path, changed] of withoutEach(events)) {
		const { calls, end } = await outcomeOf((changed as object[]).map(event).join(""), reader());
		assert.ok(end !== "completed" || calls.length === 1, `${path}: ${end}, ${calls.join()}`);
		if (end === "completed") assert.match(calls[0] ?? "", / f \{"x":1\}$/, path);
	}
});
