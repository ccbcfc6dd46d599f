import assert from "node:assert/strict";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { hostTraces } from "../../agent-host/protocol/host/telemetry.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { openInProcess } from "./rig/in-process.ts";
import { withHost } from "./rig/with-host.ts";

const PROMPT = "words-of-the-user";
const STEPS = [calls("run_command", { command: "exit 3" }), says("words-of-the-model")];

test("a turn's trace is kept locally, and sent to the collector that the user has named", async (t) => {
	const { endpoint, received } = await aCollector(t);
	const settings = { telemetry: { endpoint: `${endpoint}/` } };
	await withHost(t, { script: STEPS, settings }, async ({ host }) => {
		await runTurn(host, await aThread(host), PROMPT);
		const { spans } = await host.request(hostTraces, {});
		assert.deepEqual(
			spans.map(({ name, error }) => [name, error]),
			[
				["invoke_agent vitrine", undefined],
				["chat fake-1", undefined],
				["execute_tool run_command", undefined],
				["chat fake-1", undefined],
			],
		);
		assert.equal(spans[2]?.attributes["vitrine.command.exit_code"], 3);
		const { path, body } = await received;
		assert.equal(path, "/v1/traces");
		const sent = JSON.stringify(body);
		for (const { spanId, name } of spans) assert.ok(sent.includes(spanId) && sent.includes(name), name);
		assert.ok(!sent.includes("words-of"), "nothing that was said");
	});
});

test("prompt and answer are part of the trace when the user turns that on", (t) =>
	withHost(
		t,
		{ script: [says("words-of-the-model")], settings: { telemetry: { content: true } } },
		async ({ host }) => {
			await runTurn(host, await aThread(host), PROMPT);
			const [turn] = (await host.request(hostTraces, {})).spans;
			assert.match(String(turn?.attributes["gen_ai.input.messages"]), /words-of-the-user/);
			assert.match(String(turn?.attributes["gen_ai.output.messages"]), /words-of-the-model/);
		},
	));

test("an unreachable collector costs nothing but a line in the log", (t) =>
	withHost(
		t,
		{ script: [says("one"), says("two")], settings: { telemetry: { endpoint: "http://127.0.0.1:9" } } },
		async ({ host }) => {
			const threadId = await aThread(host);
			assert.equal((await runTurn(host, threadId, PROMPT)).end.status, "completed");
			assert.equal((await runTurn(host, threadId, PROMPT)).end.status, "completed");
			await host.request(hostTraces, {});
			assert.ok(host.received.logs.some((line) => line.includes("A trace could not be sent")));
		},
	));

test("a day that begins during a turn is told before its next request, once", async (t) => {
	let now = Date.parse("2027-01-15T23:59:00");
	const steps = [calls("update_plan", { steps: [] }), calls("update_plan", { steps: [] }), says("done")];
	const script = (_: unknown, index: number) => {
		now += 40_000;
		return steps[index];
	};
	const { session, threadId, model } = await openInProcess(t, { script, now: () => now });
	await session.startTurn({ threadId, input: [{ kind: "text", text: "first question" }] });
	await (await session.threads.open(threadId)).running?.ended;
	const days = model.requests.map((request) =>
		inputLines(request)
			.join("\n")
			.match(/Date: \d{4}-\d\d-\d\d/g),
	);
	assert.deepEqual(days, [["Date: 2027-01-15"], ["Date: 2027-01-15"], ["Date: 2027-01-15", "Date: 2027-01-16"]]);
});

async function aCollector(t: TestContext) {
	let take: (request: { readonly path: string | undefined; readonly body: unknown }) => void = () => undefined;
	const received = new Promise<{ readonly path: string | undefined; readonly body: unknown }>((resolve) => {
		take = resolve;
	});
	const server = createServer((request, response) => {
		void json(request).then((body) => {
			take({ path: request.url, body });
			response.end("{}");
		});
	});
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	t.after(() => server.close());
	const address = server.address();
	assert.ok(typeof address === "object" && address !== null);
	return { endpoint: `http://127.0.0.1:${address.port}`, received };
}
