import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { createServerMemory } from "../../../agent-host/model/memory.ts";
import type { ModelEvent, ModelRequest } from "../../../agent-host/model/port.ts";
import { chatBody } from "../../../agent-host/model/wires/chat/chat.ts";
import { toChatBody } from "../../../agent-host/model/wires/chat/chat-body.ts";
import { createChatReader } from "../../../agent-host/model/wires/chat/chat-events.ts";
import { recognizeChatServer } from "../../../agent-host/model/wires/chat/chat-server.ts";
import { createThinkingSplitter } from "../../../agent-host/model/wires/chat/split-thinking.ts";
import { toEditorAsk } from "../../../agent-host/model/wires/editor/editor.ts";
import { geminiBody } from "../../../agent-host/model/wires/gemini/gemini.ts";
import { messagesBody } from "../../../agent-host/model/wires/messages/messages.ts";
import { responsesBody } from "../../../agent-host/model/wires/responses/responses.ts";
import { toResponsesBody } from "../../../agent-host/model/wires/responses/responses-body.ts";
import { createResponsesReader } from "../../../agent-host/model/wires/responses/responses-events.ts";
import { aReader } from "../../support/a-chat-reader.ts";

// What an answer holds that only its provider can read, and where it is in the next request.

const SOURCE = "https://models.example m";
const SIGNATURE = { google: { thought_signature: "c2ln" } };

function itemsOf(events: readonly ModelEvent[]): readonly HistoryItem[] {
	return events.flatMap((event) => (event.type === "item" ? [event.item] : []));
}

/** The items of a streamed chat answer, as they come back from a thread's file. */
function readChat(deltas: readonly object[], finish = "stop"): readonly HistoryItem[] {
	const reader = createChatReader(new Set(), SOURCE, []);
	const chunks = [
		...deltas.map((delta) => ({ choices: [{ delta }] })),
		{ choices: [{ delta: {}, finish_reason: finish }] },
	];
	const events = [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end("announced")];
	return itemsOf(events).map((item) => HistoryItem.parse(JSON.parse(JSON.stringify(item))));
}

function ask(input: readonly HistoryItem[]): ModelRequest {
	return {
		model: "m",
		instructions: "",
		input,
		tools: [],
		cacheKey: "t",
		reasoningSummary: "auto",
		serviceTier: "auto",
	};
}

function call(index: number, id: string, rest: object = {}): object {
	return { tool_calls: [{ index, id, function: { name: "f", arguments: "{}" }, ...rest }] };
}

test("a call's signature is sent back on that call, only to the model that wrote it", () => {
	const items = readChat([call(0, "a", { extra_content: SIGNATURE }), call(1, "b")], "tool_calls");
	const sent = (source: string, server: "google" | "other") => {
		const [message] = toChatBody(ask(items), aReader(server, [], { source })).messages;
		return (message as { tool_calls: readonly { extra_content?: object }[] }).tool_calls.map(
			(one) => one.extra_content,
		);
	};
	assert.deepEqual(sent(SOURCE, "google"), [SIGNATURE, undefined]);
	assert.deepEqual(sent("https://models.example other", "other"), [undefined, undefined]);
	const standIn = { google: { thought_signature: "skip_thought_signature_validator" } };
	assert.deepEqual(sent("https://models.example other", "google"), [standIn, undefined]);
	const refusedSeals = new Set([JSON.stringify(SIGNATURE)]);
	const [message] = toChatBody(
		ask(items),
		aReader("other", ["thought-signatures"], { source: SOURCE, refusedSeals }),
	).messages;
	assert.deepEqual((message as { tool_calls: readonly object[] }).tool_calls[0], {
		id: "a",
		type: "function",
		function: { name: "f", arguments: "{}" },
		extra_content: standIn,
	});
});

test("a gateway's reasoning details are put together and go back with the answer, with calls or without", () => {
	const deltas = [
		{ reasoning: "One ", reasoning_details: [{ type: "reasoning.text", text: "One ", index: 0, format: "x" }] },
		{ reasoning: "two.", reasoning_details: [{ type: "reasoning.text", text: "two.", index: 0 }] },
		{ reasoning_details: [{ type: "reasoning.text", signature: "s1", index: 0 }] },
		{ reasoning_details: [{ type: "reasoning.encrypted", data: "e", index: 1 }] },
	];
	const details = [
		{ type: "reasoning.text", text: "One two.", index: 0, format: "x", signature: "s1" },
		{ type: "reasoning.encrypted", data: "e", index: 1 },
	];
	for (const rest of [[{ content: "Hello." }], [{ content: "Hello." }, call(0, "a")], [call(0, "a")]]) {
		const items = readChat([...deltas, ...rest]);
		const own = toChatBody(ask(items), aReader("openrouter", [], { source: SOURCE })).messages;
		assert.deepEqual((own[0] as { reasoning_details?: unknown }).reasoning_details, details);
		const other = JSON.stringify(toChatBody(ask(items), aReader("openrouter")).messages);
		assert.doesNotMatch(other, /reasoning_details/);
	}
});

test("reasoning is sent back with every call if that is required, even if empty, only to the model that wrote it", () => {
	const thought: HistoryItem = { kind: "reasoning", providerId: "", summary: ["Hm."], source: SOURCE };
	const made: HistoryItem = { kind: "toolCall", callId: "a", name: "f", arguments: "{}" };
	const output: HistoryItem = { kind: "toolOutput", callId: "a", output: "x" };
	const sent = (input: readonly HistoryItem[], reader: ReturnType<typeof aReader>) =>
		toChatBody(ask(input), reader).messages.map(
			(message) => (message as { reasoning_content?: string }).reasoning_content,
		);
	const own = { source: SOURCE };
	assert.deepEqual(sent([thought, made, output], aReader("deepseek", [], own)), ["Hm.", undefined]);
	assert.deepEqual(sent([thought, made, output], aReader("other", ["reasoning-back"], own)), ["Hm.", undefined]);
	assert.deepEqual(sent([made, output], aReader("deepseek", [], own)), ["", undefined]);
	assert.deepEqual(sent([thought, made, output], aReader("deepseek")), ["", undefined]);
	assert.deepEqual(sent([{ kind: "agentMessage", text: "Hi." }], aReader("deepseek", [], own)), [undefined]);
	assert.deepEqual(sent([thought, made, output], aReader("other", [], own)), [undefined, undefined]);
});

test("the phase of an answer goes back to its server, whichever of its models is asked", () => {
	const reader = createResponsesReader("https://api.openai.com gpt-5.3-codex", [], []);
	const message = (text: string, phase?: string) => ({
		type: "message",
		phase,
		content: [{ type: "output_text", text }],
	});
	const items = itemsOf(
		[message("Looking.", "commentary"), message("Done.", "final_answer"), message("Old.")].flatMap(
			(item, output_index) => reader.read({ type: "response.output_item.done", output_index, item }),
		),
	).map((item) => HistoryItem.parse(JSON.parse(JSON.stringify(item))));
	const sent = (source: string) => toResponsesBody(ask(items), new Set(), source).input;
	const bare = ["Looking.", "Done.", "Old."].map((content) => ({ role: "assistant", content }));
	const withPhase = [{ ...bare[0], phase: "commentary" }, { ...bare[1], phase: "final_answer" }, bare[2]];
	assert.deepEqual(sent("https://api.openai.com gpt-6-sol"), withPhase);
	assert.deepEqual(sent("https://gateway.example gpt-6-sol"), bare);
});

test("the parts of a reasoning summary are paragraphs", () => {
	const reader = createResponsesReader(SOURCE, [], []);
	const part = { type: "response.reasoning_summary_part.added", output_index: 0 };
	const text = (delta: string) => ({ type: "response.reasoning_summary_text.delta", output_index: 0, delta });
	const events = [part, text("**One**"), part, text("**Two**")].flatMap((event) => reader.read(event));
	assert.equal(events.map((event) => (event.type === "delta" ? event.text : "")).join(""), "**One**\n\n**Two**");
});

test("thinking in tags at the start of an answer is reasoning, however it is cut, and anywhere else it is text", () => {
	const split = (pieces: readonly string[]) => {
		const splitter = createThinkingSplitter();
		const all = [...pieces.flatMap((piece) => splitter.add(piece)), ...splitter.rest()];
		const of = (kind: string) => all.flatMap((one) => (one.kind === kind ? [one.text] : [])).join("");
		return [of("reasoning"), of("agentMessage")];
	};
	const cases: readonly (readonly [string, string, string])[] = [
		["\n<think>\nHm < 1.\n</think>\n\nYes.", "Hm < 1.", "Yes."],
		["<think></think>Yes.", "", "Yes."],
		["<thought>Hm.</thought>Yes.", "Hm.", "Yes."],
		["[THINK]Hm.[/THINK]Yes.", "Hm.", "Yes."],
		["<seed:think>Hm.</seed:think>Yes.", "Hm.", "Yes."],
		["◁think▷Hm.◁/think▷Yes.", "Hm.", "Yes."],
		["[x](y)", "", "[x](y)"],
		["Use <think>x</think>.", "", "Use <think>x</think>."],
		["<thin", "", "<thin"],
		["<think>cut </thi", "cut </thi", ""],
		["<b>bold</b>", "", "<b>bold</b>"],
	];
	for (const [text, reasoning, answer] of cases) {
		assert.deepEqual(split([text]), [reasoning, answer]);
		const [thought, said] = split([...text]);
		assert.deepEqual([thought?.trimEnd(), said], [reasoning.trimEnd(), answer], `in letters: ${text}`);
	}
	fc.assert(
		fc.property(fc.array(fc.string({ maxLength: 6 }), { maxLength: 8 }), (pieces) => {
			const text = `x${pieces.join("")}`;
			assert.deepEqual(split(["x", ...pieces]), ["", text]);
		}),
	);
	const items = readChat([{ content: "<think>Hm." }, { content: "</think>Yes." }]);
	assert.deepEqual(items, [
		{ kind: "reasoning", providerId: "", summary: ["Hm."], source: SOURCE },
		{ kind: "agentMessage", text: "Yes." },
	]);
});

test("services are recognized by their host, and not by a name that only looks like theirs", () => {
	const servers = [
		["https://api.deepseek.com/v1", "deepseek"],
		["https://generativelanguage.googleapis.com/v1beta/openai", "google"],
		["https://res.openai.azure.com/openai/v1", "azure"],
		["https://api.z.ai/api/paas/v4", "zai"],
		["https://api.mistral.ai/v1", "mistral"],
		["https://deepseek.com.evil.example/v1", "other"],
		["http://127.0.0.1:11434/v1", "other"],
	] as const;
	for (const [baseUrl, server] of servers) assert.equal(recognizeChatServer(baseUrl), server, baseUrl);
});

test("fields of a record that no provider could have written are dropped, and the item is kept", () => {
	const parsed = HistoryItem.parse({ kind: "agentMessage", text: "x", phase: 7, extra: "y" });
	assert.deepEqual(JSON.parse(JSON.stringify(parsed)), { kind: "agentMessage", text: "x" });
});

test("a request never ends with an answer that was cut off: a message follows, and only there", () => {
	const memory = createServerMemory({ servers: {} }, () => undefined, Date.now);
	const place = { baseUrl: "http://s/v1", memory };
	const half: readonly HistoryItem[] = [
		{ kind: "userMessage", text: "Go." },
		{ kind: "agentMessage", text: "Half", cut: true },
	];
	const lasts = (input: readonly HistoryItem[]) => {
		const request = ask(input);
		const bodies = [chatBody(place, request), responsesBody(place, request), messagesBody(place, request)];
		const all = [...bodies, geminiBody(place, request), toEditorAsk(request)] as readonly Record<string, unknown>[];
		return all.map((body) => [body.messages ?? body.input ?? body.contents].flat().at(-1));
	};
	for (const last of lasts(half)) {
		assert.equal((last as { role?: string }).role, "user");
		assert.match(JSON.stringify(last), /not from the user\]\\nThe previous answer was cut off\. Continue\./);
	}
	for (const last of lasts([...half, { kind: "userMessage", text: "Go on." }]))
		assert.doesNotMatch(JSON.stringify(last), /cut off/);
});
