import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fragment } from "../../../agent-host/context/fragment.ts";
import { commitRequest, sideQuestion } from "../../../agent-host/context/fragments/aside.ts";
import { asHistoryItem, type HistoryItem } from "../../../agent-host/history/history-item.ts";
import { planDemoStep } from "../../../agent-host/model/demo-script.ts";
import { ModelFailure } from "../../../agent-host/model/port.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { resolveModel } from "../../../agent-host/model/resolve-model.ts";
import { MAX_RETRY_AFTER_MS, planRetry } from "../../../agent-host/model/retry.ts";
import { withIdleLimit } from "../../../agent-host/model/watchdog.ts";
import { toResponsesBody } from "../../../agent-host/model/wires/responses/responses-body.ts";
import { createResponsesReader } from "../../../agent-host/model/wires/responses/responses-events.ts";
import { ModelSettings, RetrySettings } from "../../../agent-host/protocol/settings/settings.ts";
import { anEnvelope } from "../../support/an-envelope.ts";
import { eachEvent } from "../../support/read-stream.ts";

const retry = RetrySettings.parse({});
const failure = (retryable: boolean, retryAfterMs?: number) =>
	new ModelFailure("server", "It failed.", { retryable, retryAfterMs });
const made = (requests: number) => ({ requests, waitedMs: 0 });
const read = (raw: unknown) => createResponsesReader("s", [], []).read(raw);
const NOTHING_KNOWN = { model: () => ({}) };
const history: readonly HistoryItem[] = [{ kind: "userMessage", text: "hello" }];

test("the tools of a request are the same list as long as their descriptions do not change", () => {
	const tools = ["read_file", "other"].map((name) => ({ name, description: "", parameters: {} }));
	const under = {
		...tools[1],
		describeUnder: ({ mode }: { readonly mode: string }) => ({ description: mode, parameters: {} }),
	};
	const serverTool = { server: "s", tool: "t", name: "mcp__s__t", description: "One.", parameters: {}, digest: "1" };
	const envelope = anEnvelope();
	const list = (change: object = {}, offered: Parameters<typeof buildRequest>[2] = tools) =>
		buildRequest({ ...envelope, capabilities: { ...envelope.capabilities, ...change } }, [], offered).tools;
	assert.equal(list({ tools: [...envelope.capabilities.tools] }), list());
	assert.deepEqual(
		list({ tools: ["read_file", "other"] }).map(({ name }) => name),
		["read_file", "other"],
	);
	const [one, other] = [list({ serverTools: [serverTool] }), list({ serverTools: [{ ...serverTool }] })];
	assert.equal(other, one);
	const changed = list({ serverTools: [{ ...serverTool, description: "Two.", digest: "2" }] });
	assert.deepEqual([one.at(-1)?.description, changed.at(-1)?.description], ["One.", "Two."]);
	const inMode = (mode: "ask" | "readOnly") => {
		const sealed = anEnvelope({ settings: { permissions: { mode } } });
		const offered = [under as (typeof tools)[number]];
		return buildRequest({ ...sealed, capabilities: { ...sealed.capabilities, tools: ["other"] } }, [], offered).tools;
	};
	assert.deepEqual(
		[inMode("ask"), inMode("readOnly")].map(([tool]) => tool?.description),
		["ask", "readOnly"],
	);
});

test("a request offers only the tools its envelope names", () => {
	const tools = ["read_file", "delete_everything"].map((name) => ({ name, description: "", parameters: {} }));
	assert.deepEqual(
		buildRequest(anEnvelope(), history, tools).tools.map(({ name }) => name),
		["read_file"],
	);
});

test("a Responses request keeps a call's arguments, wraps unreadable ones in an object, and keeps free-form text", () => {
	const called = (...args: readonly string[]) =>
		args.map((text, index): HistoryItem => ({ kind: "toolCall", callId: `c${index}`, name: "f", arguments: text }));
	const sent = (input: readonly HistoryItem[], model: string) =>
		toResponsesBody({ ...buildRequest(anEnvelope(), [], []), model, input }, new Set(), "s").input as {
			readonly arguments?: string;
			readonly input?: string;
		}[];
	const kept = ['{ "path": "a" }', "{}"];
	const unreadable = ['{"path": "READ', "", "[1]", '"text"'];
	assert.deepEqual(
		sent(called(...kept, ...unreadable), "fake-1").map((item) => item.arguments),
		[...kept, ...unreadable.map((text) => JSON.stringify({ unreadable: text }))],
	);
	const freeForm = called('{"patch":"*** Begin Patch"}').map((call) => ({ ...call, freeForm: true as const }));
	assert.deepEqual(
		sent(freeForm, "gpt-5.3-codex").map(({ arguments: args, input }) => [args, input]),
		[[undefined, "*** Begin Patch"]],
	);
});

test("a Responses request stores nothing at the provider and keys its cache by the thread", () => {
	const body = toResponsesBody(buildRequest(anEnvelope(), history, []), new Set(), "s");
	assert.deepEqual(
		{
			store: body.store,
			stream: body.stream,
			key: body.prompt_cache_key,
			input: body.input,
			reasoning: body.reasoning,
		},
		{
			store: false,
			stream: true,
			key: "thread-1",
			input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }],
			reasoning: undefined,
		},
	);
});

test("events of a stream become deltas, items and an end with its usage", () => {
	const events = [
		{ type: "response.created", response: {} },
		{ type: "response.output_text.delta", output_index: 0, delta: "Hi" },
		{
			type: "response.output_item.done",
			output_index: 0,
			item: { type: "message", content: [{ type: "output_text", text: "Hi" }] },
		},
		{
			type: "response.output_item.done",
			output_index: 1,
			item: { type: "function_call", call_id: "c", name: "n", arguments: "{}" },
		},
		{
			type: "response.completed",
			response: { usage: { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } } },
		},
	];
	assert.deepEqual(events.flatMap(read), [
		{ type: "delta", key: "agentMessage-0", kind: "agentMessage", text: "Hi" },
		{ type: "item", key: "agentMessage-0", item: { kind: "agentMessage", text: "Hi" } },
		{ type: "item", key: "toolCall-1", item: { kind: "toolCall", callId: "c", name: "n", arguments: "{}" } },
		{ type: "completed", usage: { input: 10, cached: 4, output: 5, reasoning: 0, total: 15 } },
	]);
});

test("usage that makes no sense counts as none", () => {
	for (const usage of [null, { input_tokens: -1, output_tokens: 0 }, { input_tokens: "many" }, "x"]) {
		assert.deepEqual(read({ type: "response.completed", response: { usage } }), [{ type: "completed" }]);
	}
});

test("an unknown event is skipped", () => {
	for (const raw of [null, 5, "x", [], {}, { type: "response.output_text.delta" }]) {
		assert.deepEqual(read(raw), []);
	}
});

test("a failure inside the stream is thrown with its kind", () => {
	const event = {
		type: "response.failed",
		response: { error: { code: "context_length_exceeded", message: "too long" } },
	};
	assert.throws(() => read(event), { code: "context-too-long", retryable: false });
});

test("each retry waits twice as long as the last, and retries end after the last attempt", () => {
	assert.deepEqual(
		[1, 2, 3, 4, 5].map((requests) => planRetry(failure(true), made(requests), retry, 0.5)),
		[400, 800, 1_600, 3_200, undefined],
	);
});

test("a failure that will not go away is not tried again", () => {
	assert.equal(planRetry(failure(false), made(1), retry, 0.5), undefined);
});

test("a server's own pause is obeyed up to the limit; beyond it the turn ends", () => {
	assert.equal(planRetry(failure(true, 2_000), made(1), retry, 0.5), 2_000);
	assert.equal(planRetry(failure(true, MAX_RETRY_AFTER_MS + 1), made(1), retry, 0.5), undefined);
});

test("a model that falls silent is given up, and its stream is stopped", async () => {
	let stopped = false;
	async function* silent(signal: AbortSignal) {
		yield [{ type: "working" } as const];
		await new Promise((resolve) => signal.addEventListener("abort", resolve));
		stopped = true;
	}
	const seen: string[] = [];
	await assert.rejects(
		async () => {
			for await (const event of eachEvent(withIdleLimit(silent, 20, new AbortController().signal)))
				seen.push(event.type);
		},
		{ code: "network", retryable: true },
	);
	assert.deepEqual({ seen, stopped }, { seen: ["working"], stopped: true });
});

test("a missing model setup is reported with the way to set it up", () => {
	const message = (settings: object) => {
		const resolved = resolveModel(ModelSettings.parse(settings), NOTHING_KNOWN);
		return resolved instanceof ModelFailure ? resolved.message : resolved;
	};
	assert.deepEqual(
		[
			{ provider: "openai" },
			{ provider: "compatible" },
			{ provider: "compatible", baseUrl: "http://127.0.0.1:1/v1" },
		].map(message),
		[
			"No OpenAI model is selected. Run “Vitrine: Set Up Model…”.",
			"No model server is configured. Run “Vitrine: Set Up Model…”, or set vitrine.model.baseUrl.",
			"No model is selected. Run “Vitrine: Set Up Model…”, or set vitrine.model.id.",
		],
	);
});

test("the demo model looks, reads and then answers, the same way each time", () => {
	const tools = [{ name: "list_files", description: "", parameters: {} }];
	const ask = (input: readonly HistoryItem[]) =>
		planDemoStep({ ...buildRequest(anEnvelope(), input, []), tools }, "editor");
	const answer = (callId: string, output: string): readonly HistoryItem[] => [
		{ kind: "toolCall", callId, name: "any", arguments: "{}" },
		{ kind: "toolOutput", callId, output },
	];
	const listed = answer("1", "a.ts\nREADME.md");
	const read = answer("2", "1: # Title");
	assert.deepEqual(
		[ask(history), ask([...history, ...listed])].map((step) => step.calls),
		[
			[{ name: "list_files", arguments: { limit: 50 } }],
			[{ name: "read_file", arguments: { path: "README.md", lines: 60 } }],
		],
	);
	const last = ask([...history, ...listed, ...read]);
	assert.deepEqual(last.calls, []);
	assert.match(last.text, /demo model[\s\S]*# Title/);
	assert.deepEqual(ask([...history, ...listed, ...read]), last);
});

test("the demo model's table says what a tool did, also if that is below a heading", () => {
	const tools = [{ name: "apply_patch", description: "", parameters: {} }];
	const input: HistoryItem[] = [
		{ kind: "userMessage", text: "write something" },
		{ kind: "toolCall", callId: "c", name: "apply_patch", arguments: "{}" },
		{ kind: "toolOutput", callId: "c", output: "Changed:\nA vitrine-demo.md (+3 -0)\nA b.md" },
	];
	const { text } = planDemoStep({ ...buildRequest(anEnvelope(), input, []), tools }, "editor");
	assert.match(text, /^\| `apply_patch` \| Changed: A vitrine-demo\.md \(\+3 -0\) \|$/m);
});

test("the demo model names the way to a real one that there is: a command in the editor, options on the command line", () => {
	const tools = ["list_files", "read_file", "apply_patch", "run_command"].map((name) => ({
		...{ name, description: "", parameters: {} },
	}));
	const outputs = Array.from({ length: 12 }, (_, index): readonly HistoryItem[] => [
		{ kind: "toolCall", callId: `${index}`, name: "any", arguments: "{}" },
		{ kind: "toolOutput", callId: `${index}`, output: "ten apples return pieces > DISCOUNT_FROM ?" },
	]).flat();
	const cases: readonly (readonly [prompt: string, tools: typeof tools])[] = [
		["Hello.", tools],
		["Hello.", []],
		["Fix the bug.", tools],
		["Run the command `ls`.", tools],
	];
	for (const [text, offered] of cases) {
		const [editor, commandLine] = (["editor", "commandLine"] as const).map((place) => {
			const request = buildRequest(anEnvelope(), [{ kind: "userMessage", text }, ...outputs], []);
			return planDemoStep({ ...request, tools: offered }, place).text;
		});
		assert.match(editor ?? "", /run \*\*Vitrine: Set Up Model…\*\* from the Command Palette/, text);
		assert.match(commandLine ?? "", /start Vitrine with `--model` or `--base-url`/, text);
		assert.doesNotMatch(commandLine ?? "", /Command Palette|\*\*Keep/, text);
	}
});

test("the demo model says that it cannot answer a side question, and names the changed files for a commit", () => {
	const answer = (fragment: Fragment) => {
		const input: readonly HistoryItem[] = [{ kind: "userMessage", text: "Earlier." }, asHistoryItem(fragment)];
		return planDemoStep({ ...buildRequest(anEnvelope(), input, []), tools: [] }, "editor").text;
	};
	const aside = answer(sideQuestion.of({ text: "What is *this*?" }));
	assert.match(aside, /demo model.*can't answer this/);
	assert.doesNotMatch(aside, /No folder|You asked/);
	const diff = (...paths: readonly string[]) => paths.map((path) => `diff --git a/${path} b/${path}\n+x\n`).join("");
	const subjectOf = (text: string) => answer(commitRequest.of({ diff: text, subjects: [] })).split("\n")[0];
	assert.deepEqual([diff("src/a.ts"), diff("a", "b c"), ""].map(subjectOf), [
		"Change src/a.ts",
		"Change 2 files",
		"Change files",
	]);
});

test("the demo model writes a long answer, and a very long one for trying out Stop", () => {
	const lengthOf = (text: string) => {
		const request = buildRequest(anEnvelope(), [{ kind: "userMessage", text }], []);
		return planDemoStep({ ...request, tools: [] }, "editor").text.split("\n\n").length;
	};
	assert.deepEqual(["A long answer, please", "A very long answer, please"].map(lengthOf), [166, 1_101]);
});
