import assert from "node:assert/strict";
import { test } from "node:test";
import { cutsAfter, incomplete, retryAfter, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { withHost } from "./rig/with-host.ts";

test("Retry-After is honoured and announced", (t) =>
	withHost(t, { script: [retryAfter(429, 1), says("Now.")] }, async ({ host, model }) => {
		const { text, published } = await runTurn(host, await aThread(host), "hello");
		assert.equal(text, "Now.");
		const [first, second] = model.requests.map(({ at }) => at);
		assert.ok((second ?? 0) - (first ?? 0) >= 1_000);
		const warning = published.find(({ event }) => event.type === "warning")?.event;
		assert.match(warning?.type === "warning" ? warning.message : "", /1\.0 s/);
	}));

test("a cut answer is asked for again; the half is marked and does not reach the model", (t) =>
	withHost(
		t,
		{
			script: [cutsAfter("Half an answer, of which the end is missing.", 1_600), says("A whole answer."), says("Yes.")],
		},
		async ({ host, model }) => {
			const threadId = await aThread(host);
			const { end, published, text } = await runTurn(host, threadId, "hello");
			assert.deepEqual([end.status, text], ["completed", "A whole answer."]);
			const messages = published.flatMap(({ event }) =>
				event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.cut ?? false] : [],
			);
			assert.deepEqual(messages, [true, false]);
			await runTurn(host, threadId, "and?");
			assert.deepEqual(
				inputLines(model.requests[2] ?? assert.fail()).filter((line) => line.startsWith("assistant")),
				["assistant: A whole answer."],
			);
		},
	));

test("an answer cut at any byte is asked for again and arrives whole", (t) => {
	const text = "Wörter, 世界 and 👍, cut anywhere.";
	const offsets = Array.from({ length: 24 }, (_, index) => 1 + index * 131);
	const script = offsets.flatMap((offset) => [cutsAfter(text, offset), says(text)]);
	return withHost(t, { script }, async ({ host }) => {
		const threadId = await aThread(host);
		for (const offset of offsets) {
			const { end, text: answer } = await runTurn(host, threadId, `cut after ${offset}`);
			assert.deepEqual([end.status, answer], ["completed", text]);
		}
	});
});

test("a call in a stream that was cut never runs; the next attempt's call runs once", (t) => {
	const call = { kind: "call", callId: "call_9001", name: "read_file", pieces: ['{"path":"README.md"}'] } as const;
	const cut: Step = { kind: "reply", parts: [call], ending: { kind: "eof" }, prerendered: false };
	const whole: Step = {
		...cut,
		parts: [{ ...call, callId: "call_9002" }],
		ending: { kind: "completed", usage: undefined },
	};
	return withHost(t, { script: [cut, whole, says("Read.")] }, async ({ host, model }) => {
		const { published } = await runTurn(host, await aThread(host), "read it");
		const ran = published.flatMap(({ event }) =>
			event.type === "itemStarted" && event.item.kind === "toolCall" ? [event.item.callId] : [],
		);
		assert.deepEqual(ran, ["call_9002"]);
		assert.equal(model.requests.length, 3);
	});
});

test("an answer that hit the output limit is kept and the user is told", (t) =>
	withHost(t, { script: () => incomplete("max_output_tokens", "As far as it") }, async ({ host }) => {
		const { published, end } = await runTurn(host, await aThread(host), "hello");
		assert.notEqual(end.status, "interrupted");
		const text = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.text] : [],
		);
		assert.equal(text[0], "As far as it");
		const said = JSON.stringify(
			published.filter(({ event }) => event.type === "warning" || event.type === "turnCompleted"),
		);
		assert.match(said, /limit|max_output_tokens|incomplete|length/i);
	}));

test("a model that calls tools for ever is stopped", (t) =>
	withHost(
		t,
		{
			script: (_, index) => ({
				kind: "reply",
				parts: [{ kind: "call", callId: `call_${index}`, name: "list_files", pieces: ["{}"] }],
				ending: { kind: "completed", usage: undefined },
				prerendered: false,
			}),
		},
		async ({ host, model }) => {
			const { end } = await runTurn(host, await aThread(host), "loop");
			assert.equal(end.status, "failed");
			assert.ok(model.requests.length <= 200, `${model.requests.length} requests`);
		},
	));
