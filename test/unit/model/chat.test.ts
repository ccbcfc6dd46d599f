import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import type { ModelEvent, ModelRequest } from "../../../agent-host/model/port.ts";
import { toChatBody } from "../../../agent-host/model/wires/chat/chat-body.ts";
import { createCallAssembler } from "../../../agent-host/model/wires/chat/chat-calls.ts";
import { createChatReader } from "../../../agent-host/model/wires/chat/chat-events.ts";
import { lessonFrom } from "../../../agent-host/model/wires/refusals/lessons.ts";
import type { Quirk } from "../../../agent-host/model/wires/refusals/quirks.ts";
import { aReader } from "../../support/a-chat-reader.ts";

const REQUEST: ModelRequest = {
	model: "m",
	instructions: "Be helpful.",
	input: [],
	tools: [],
	cacheKey: "thread-1",
	reasoningSummary: "auto",
	serviceTier: "auto",
};

const HISTORY: readonly HistoryItem[] = [
	{ kind: "fragment", fragment: "permissions", role: "developer", origin: "host", text: "Read only." },
	{ kind: "fragment", fragment: "environment", role: "user", origin: "host", text: "Linux." },
	{ kind: "userMessage", text: "Look." },
	{ kind: "reasoning", providerId: "", summary: ["Two files."] },
	{ kind: "agentMessage", text: "I look." },
	{ kind: "toolCall", callId: "a", name: "read_file", arguments: '{"path":"1"}' },
	{ kind: "toolCall", callId: "b", name: "read_file", arguments: "{broken" },
	{ kind: "toolOutput", callId: "a", output: "one" },
	{ kind: "toolOutput", callId: "b", output: "not JSON" },
	{ kind: "agentMessage", text: "Done." },
];

test("history becomes messages: one for each answer with its calls, each call followed by its output", () => {
	assert.deepEqual(messagesWith([]), [
		{ role: "system", content: "Be helpful." },
		{ role: "system", content: "Read only." },
		{ role: "user", content: "Linux." },
		{ role: "user", content: "Look." },
		{
			role: "assistant",
			content: "I look.",
			tool_calls: [
				{ id: "a", type: "function", function: { name: "read_file", arguments: '{"path":"1"}' } },
				{ id: "b", type: "function", function: { name: "read_file", arguments: '{"unreadable":"{broken"}' } },
			],
		},
		{ role: "tool", tool_call_id: "a", content: "one" },
		{ role: "tool", tool_call_id: "b", content: "not JSON" },
		{ role: "assistant", content: "Done." },
	]);
});

test("no message is empty: an answer of nothing is left out, and a user's message says that it has no text", () => {
	const input: readonly HistoryItem[] = [
		{ kind: "userMessage", text: "" },
		...HISTORY.slice(5, 9),
		{ kind: "agentMessage", text: "\n\n" },
		{ kind: "userMessage", text: "Go on." },
	];
	const { messages } = toChatBody({ ...REQUEST, input }, aReader());
	assert.deepEqual(
		messages.map(({ role }) => role),
		["system", "user", "assistant", "tool", "tool", "user"],
	);
	assert.match(String(messages[1]?.content), /The user's message has no text\./);
});

test("host messages use the role that the server accepts, and are labelled if that must be the user's", () => {
	const roleOf = (quirks: readonly Quirk[], server: "openai" | "other") => messagesWith(quirks, server)[1];
	assert.deepEqual(
		[
			roleOf([], "openai"),
			roleOf(["no-developer-role"], "openai"),
			roleOf([], "other"),
			roleOf(["no-system-role"], "other"),
		],
		[
			{ role: "developer", content: "Read only." },
			{ role: "system", content: "Read only." },
			{ role: "system", content: "Read only." },
			{ role: "user", content: "[From the Vitrine host, not from the user]\nRead only." },
		],
	);
});

test("if only an answer may follow results, a short one precedes the user's or the host's message", () => {
	const call = (callId: string): readonly HistoryItem[] => [
		{ kind: "toolCall", callId, name: "read_file", arguments: "{}" },
		{ kind: "toolOutput", callId, output: "one" },
	];
	const host: HistoryItem = { kind: "fragment", fragment: "f", role: "developer", origin: "host", text: "New day." };
	const stopped: readonly HistoryItem[] = [
		{ kind: "userMessage", text: "Look." },
		...call("a"),
		...call("b"),
		{ kind: "userMessage", text: "Stop. Why?" },
		...call("c"),
		host,
	];
	const rolesFor = (reader: ReturnType<typeof aReader>) =>
		toChatBody({ ...REQUEST, input: stopped }, reader)
			.messages.slice(1)
			.map(({ role, content }) => (role === "assistant" && content !== "" ? `assistant: ${content}` : role));
	const steps = ["assistant", "tool"];
	const answered = [
		...["user", ...steps, ...steps, "assistant: OK.", "user"],
		...[...steps, "assistant: OK.", "system"],
	];
	assert.deepEqual(rolesFor(aReader("mistral")), answered);
	assert.deepEqual(rolesFor(aReader("other", ["answer-after-tools"])), answered);
	assert.deepEqual(
		rolesFor(aReader("other")),
		answered.filter((role) => role !== "assistant: OK."),
	);
});

test("a template that still rejects the roles of merged messages gets such answers as well", () => {
	const text = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
	const learn = (roles: readonly string[], ...quirks: readonly Quirk[]) => {
		const body = { messages: roles.map((role) => ({ role })) };
		return lessonFrom({ status: 500, code: undefined, param: undefined, text }, body, new Set(quirks))?.quirks;
	};
	const roles = ["user", "assistant", "tool", "user"];
	assert.deepEqual(
		[learn(roles), learn(roles, "roles-alternate"), learn(roles, "roles-alternate", "answer-after-tools")],
		[["roles-alternate"], ["answer-after-tools"], undefined],
	);
	assert.equal(learn(["user", "user"], "roles-alternate"), undefined);
});

test("a server that requires alternating roles never gets two messages of one role in a row, and no text is lost", () => {
	const roles: readonly Quirk[] = ["roles-alternate", "no-system-role"];
	const messages = messagesWith(roles);
	assert.deepEqual(
		messages.map(({ role }) => role),
		["user", "assistant", "tool", "tool", "assistant"],
	);
	assert.match(String(messages[0]?.content), /Be helpful\.[\s\S]*Read only\.[\s\S]*Linux\.\n\nLook\./);
});

test("a server that wants its reasoning back gets it with the answer it belongs to, others do not", () => {
	const sent = (quirks: readonly Quirk[]) => JSON.stringify(messagesWith(quirks)).match(/"reasoning_content":"[^"]*"/g);
	assert.deepEqual([sent([]), sent(["reasoning-back"])], [null, ['"reasoning_content":"Two files."']]);
});

test("an output schema is sent as far as the server can enforce it, and the rest is stated in words", () => {
	const schema = { type: "object" };
	const bodyWith = (...quirks: readonly Quirk[]) => {
		const body = toChatBody({ ...REQUEST, outputSchema: { name: "plan", schema } }, aReader("other", quirks));
		return {
			format: body.response_format,
			inWords: body.messages.some(({ content }) => /JSON schema/.test(String(content))),
		};
	};
	assert.deepEqual(
		[bodyWith(), bodyWith("no-json_schema"), bodyWith("no-json_schema", "no-json_object")],
		[
			{ format: { type: "json_schema", json_schema: { name: "plan", schema, strict: true } }, inWords: false },
			{ format: { type: "json_object" }, inWords: true },
			{ format: undefined, inWords: true },
		],
	);
});

test("an option is sent only if it is set and the server has not refused it", () => {
	const request = { ...REQUEST, reasoningEffort: "high" as const, verbosity: "low", serviceTier: "fast" };
	const { messages: _, model: __, stream: ___, ...options } = toChatBody(request, aReader("openai"));
	assert.deepEqual(options, {
		stream_options: { include_usage: true },
		prompt_cache_key: "thread-1",
		reasoning_effort: "high",
		verbosity: "low",
		service_tier: "priority",
	});
	const fewer = toChatBody(request, aReader("other", ["no-stream_options", "no-verbosity"]));
	assert.deepEqual([fewer.stream_options, fewer.verbosity, fewer.prompt_cache_key], [undefined, undefined, undefined]);
});

test("calls are put together from pieces in any order, several at once", () => {
	const call = fc.record({ name: fc.stringMatching(/^[a-z_]{1,12}$/), value: fc.string({ maxLength: 30 }) });
	fc.assert(
		fc.property(fc.array(call, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat()), (calls, chance) => {
			const queues = calls.map(({ name, value }, index) => piecesOf(index, name, JSON.stringify({ value }), chance));
			const assembler = createCallAssembler();
			while (queues.some((queue) => queue.length > 0)) {
				const waiting = queues.filter((queue) => queue.length > 0);
				assembler.add(waiting[chance.next().value % waiting.length]?.shift() ?? assert.fail());
			}
			assert.deepEqual(
				assembler.calls(),
				calls.map(({ name, value }, index) => ({ id: `id-${index}`, name, arguments: JSON.stringify({ value }) })),
			);
		}),
	);
});

const A = { id: "a", name: "f", arguments: '{"x":1}' };
const B = { id: "b", name: "g", arguments: '{"y":2}' };
const FROM_SERVERS: readonly (readonly [string, readonly object[], readonly object[]])[] = [
	["every call at index 0", [whole(0, A), whole(0, B)], [A, B]],
	["no index at all", [whole(undefined, A), whole(undefined, B)], [A, B]],
	["a call sent whole twice", [whole(0, A), whole(0, A)], [A]],
	["the name with every piece", [part(0, "a", "f", '{"x"'), part(0, undefined, "f", ":1}")], [A]],
	[
		"the name in two pieces",
		[part(0, "a", "f", ""), part(0, undefined, "oo", ""), part(0, undefined, undefined, "{}")],
		[{ ...A, name: "foo", arguments: "{}" }],
	],
	["arguments as an object", [{ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }], [A]],
	["a name in gpt-oss's own format", [part(0, "a", "functions.f<|channel|>commentary", '{"x":1}')], [A]],
	["a name of nothing but that format", [part(0, "a", "<|channel|>", '{"x":1}')], [{ ...A, name: "<|channel|>" }]],
	["no arguments", [part(0, "a", "f", undefined)], [{ ...A, arguments: "{}" }]],
	[
		"an empty object before the arguments",
		[part(0, "a", "f", "{}"), part(0, "a", "", '{"x"'), part(0, "a", "", ":1}")],
		[A],
	],
	["an empty object more than once", [part(0, "a", "f", "{}"), part(0, "a", "f", "{}")], [{ ...A, arguments: "{}" }]],
	["index 1 before index 0", [whole(1, B), whole(0, A)], [A, B]],
	[
		"arguments before name and id",
		[part(0, undefined, undefined, '{"x":1}'), part(0, "a", undefined, ""), part(0, undefined, "f", "")],
		[A],
	],
	[
		"no id and no index, one after the other",
		[part(undefined, undefined, "f", "{}"), part(undefined, undefined, "g", "{}")],
		[
			{ id: "", name: "f", arguments: "{}" },
			{ id: "", name: "g", arguments: "{}" },
		],
	],
	[
		"whole calls of one tool at index 0 without an id",
		[part(0, undefined, "f", '{"path":"a"}'), part(0, "", "f", '{"path":"b"}'), part(0, "", "f", '{"path":"b"}')],
		[
			{ id: "", name: "f", arguments: '{"path":"a"}' },
			{ id: "", name: "f", arguments: '{"path":"b"}' },
		],
	],
	[
		"calls in pieces at index 0 without an id",
		[
			...[part(0, "", "f", '{"path":"}\\'), part(0, "", "f", '"{"'), part(0, "", "f", "}"), part(0, "", "f", "")],
			...[part(0, "", "g", ""), part(0, "", "", "{}")],
		],
		[
			{ id: "", name: "f", arguments: '{"path":"}\\"{"}' },
			{ id: "", name: "g", arguments: "{}" },
		],
	],
	[
		"another index with every piece of a call",
		[part(0, "a", "f", ""), part(1, "a", undefined, '{"x"'), part(2, "a", undefined, ":1}"), whole(3, B)],
		[A, B],
	],
	[
		"another index with every piece, and no id",
		[part(0, "a", "f", ""), part(1, undefined, undefined, '{"x"'), part(2, undefined, undefined, ":1}"), whole(3, B)],
		[A, B],
	],
	[
		"a second call at index 0, and the rest of it at index 1",
		[whole(0, A), part(0, "b", "g", ""), part(1, undefined, undefined, '{"y":2}')],
		[A, B],
	],
	[
		"arguments before the name, without an id",
		[part(0, undefined, undefined, "{}"), part(0, undefined, "f", "")],
		[{ id: "", name: "f", arguments: "{}" }],
	],
];

for (const [what, pieces, calls] of FROM_SERVERS) {
	test(`calls are understood from a server that sends ${what}`, () => {
		const assembler = createCallAssembler();
		for (const piece of pieces) assembler.add(piece);
		assert.deepEqual(assembler.calls(), calls);
	});
}

test("a call never takes the id of an earlier one, so a server that numbers from zero is still obeyed", () => {
	const reader = createChatReader(new Set(["call_0"]), "s", []);
	const pieces = [part(0, "call_0", "f", "{}"), part(1, undefined, "g", "{}"), part(2, "call_0x", "h", "{}")];
	reader.read(chunk({ tool_calls: pieces }));
	reader.read(chunk({}, "tool_calls"));
	const ids = reader
		.end("announced")
		.flatMap((event) => (event.type === "item" && event.item.kind === "toolCall" ? [event.item.callId] : []));
	assert.equal(new Set([...ids, "call_0"]).size, 4);
});

test("reasoning is read under each of its names, once, and also in tags before the text", () => {
	const said = (delta: object) =>
		createChatReader(new Set(), "s", [])
			.read(chunk(delta))
			.flatMap((event) => (event.type === "delta" ? [[event.kind, event.text]] : []));
	assert.deepEqual(
		[
			{ reasoning_content: "Hm." },
			{ reasoning: "Hm." },
			{ reasoning: "Hm.", reasoning_content: "Hm." },
			{
				content: [
					{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
					{ type: "text", text: "So." },
				],
			},
			{ content: "<think>Hm.</think>" },
		].map(said),
		[
			[["reasoning", "Hm."]],
			[["reasoning", "Hm."]],
			[["reasoning", "Hm."]],
			[
				["reasoning", "Hm."],
				["agentMessage", "So."],
			],
			[["reasoning", "Hm."]],
		],
	);
});

test("text, reasoning and text again are three pieces of output in their order", () => {
	const events = readAll([{ content: "a" }, { content: "b" }, { reasoning: "r" }, { content: "c" }], "stop");
	const items = events.flatMap((event) => (event.type === "item" ? [event.item] : []));
	assert.deepEqual(items, [
		{ kind: "agentMessage", text: "ab" },
		{ kind: "reasoning", providerId: "", summary: ["r"], source: "s" },
		{ kind: "agentMessage", text: "c" },
	]);
});

test("an answer is complete with a finish reason or an end mark, and broken without either", () => {
	const end = (finish: string | null, how: "announced" | "closed") => {
		const reader = createChatReader(new Set(), "s", []);
		reader.read(chunk({ content: "Hi" }, finish));
		return reader.end(how).at(-1)?.type;
	};
	assert.deepEqual(
		[end("stop", "announced"), end("stop", "closed"), end(null, "announced"), end(null, "closed")],
		["completed", "completed", "completed", undefined],
	);
});

test("an answer that is sent again with every chunk, as far as it has come, is complete only at its end", () => {
	const end = (finish: string | null) => {
		const reader = createChatReader(new Set(), "s", []);
		const delta = { content: "Hi" };
		reader.read({ choices: [{ index: 0, delta, message: delta, finish_reason: finish }] });
		return [reader.isOver(), reader.end("closed").at(-1)?.type];
	};
	assert.deepEqual(
		[end(null), end("stop")],
		[
			[false, undefined],
			[true, "completed"],
		],
	);
});

test("an answer cut by its length or a filter makes no calls", () => {
	for (const finish of ["length", "content_filter"]) {
		const reader = createChatReader(new Set(), "s", []);
		reader.read(chunk({ tool_calls: [whole(0, A)] }, finish));
		assert.throws(() => reader.end("announced"), { code: "bad-stream", retryable: false });
	}
});

test("usage is read wherever a server puts it; the last one counts, and nonsense counts as none", () => {
	const usage = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } };
	const counted = { input: 10, cached: 4, output: 5, reasoning: 0, total: 15 };
	const ofChunk = (fields: object) => {
		const reader = createChatReader(new Set(), "s", []);
		reader.read({ ...chunk({ content: "Hi" }, "stop"), usage: { prompt_tokens: 1, completion_tokens: 1 } });
		reader.read({ choices: [], ...fields });
		const last = reader.end("announced").at(-1);
		return last?.type === "completed" ? last.usage : undefined;
	};
	const early = { input: 1, cached: 0, output: 1, reasoning: 0, total: 2 };
	assert.deepEqual(
		[
			ofChunk({ usage }),
			ofChunk({ x_groq: { usage } }),
			ofChunk({ choices: [{ index: 0, delta: {}, usage }] }),
			ofChunk({ usage: null }),
			ofChunk({ usage: { prompt_tokens: -1 } }),
		],
		[counted, counted, counted, early, early],
	);
});

test("an error inside the stream is thrown with its kind, whatever its shape", () => {
	const failed = (error: unknown) => () => createChatReader(new Set(), "s", []).read({ error });
	assert.throws(failed({ code: "rate_limit_exceeded", message: "Please try again in 1.5s." }), {
		code: "rate-limit",
		retryAfterMs: 1_500,
	});
	assert.throws(failed("the server is on fire"), { code: "server", retryable: true });
	assert.throws(failed({ message: "This model's maximum context length is 4096 tokens." }), {
		code: "context-too-long",
	});
});

test("an invalid chunk is skipped", () => {
	const reader = createChatReader(new Set(), "s", []);
	for (const raw of [
		null,
		5,
		"x",
		[],
		{},
		{ choices: 5 },
		{ choices: [null, { delta: 7 }, { index: 1, delta: { content: "no" } }] },
	]) {
		assert.deepEqual(reader.read(raw), []);
	}
});

function messagesWith(quirks: readonly Quirk[], server: "openai" | "other" = "other") {
	return toChatBody({ ...REQUEST, input: HISTORY }, aReader(server, quirks)).messages;
}

function chunk(delta: object, finish: string | null = null) {
	return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

function readAll(deltas: readonly object[], finish: string): readonly ModelEvent[] {
	const reader = createChatReader(new Set(), "s", []);
	return [
		...deltas.flatMap((delta) => reader.read(chunk(delta))),
		...reader.read(chunk({}, finish)),
		...reader.end("announced"),
	];
}

function part(index: number | undefined, id: string | undefined, name: string | undefined, args: string | undefined) {
	return { index, id, function: { name, arguments: args } };
}

function whole(index: number | undefined, call: typeof A) {
	return part(index, call.id, call.name, call.arguments);
}

/** A call in pieces: id and name come at once with the first or apart from it, arguments character by character or not. */
function piecesOf(index: number, name: string, args: string, chance: Iterator<number>) {
	const size = 1 + (chance.next().value % 7);
	const pieces = args.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
	return [part(index, `id-${index}`, name, ""), ...pieces.map((piece) => part(index, undefined, undefined, piece))];
}
