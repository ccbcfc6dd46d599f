import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, floods, holds, says, thinks, together, withUsage } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { textUnder } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({});

test("a turn with the demo model starts, streams and completes without a network or a key", (t) =>
	withShared(t, [], async ({ host, model }) => {
		const keys = host.received.secretRequests.length;
		const threadId = await aThread(host, { settings: { model: { provider: "demo" } } });
		const { end, text, published } = await runTurn(host, threadId, "What is this project?");
		assert.equal(end.status, "completed");
		assert.notEqual(text, "");
		assert.equal(published[0]?.event.type, "turnStarted");
		assert.ok(published.some(({ event }) => event.type === "itemDelta"));
		assert.deepEqual([model.requests.length, host.received.secretRequests.length], [0, keys]);
	}));

for (const transport of ["stdio", "ipc"] as const) {
	test(`a turn over ${transport} publishes its events in order, numbered from 1 without a gap`, (t) =>
		withHost(
			t,
			{ transport, script: [together(thinks("Let me see."), says("Hello there."))] },
			async ({ host, model }) => {
				const threadId = await aThread(host);
				const { text } = await runTurn(host, threadId, "Say hello.");
				assert.equal(text, "Hello there.");
				assert.deepEqual(shapeOf(host.events(threadId)), [
					"titleChanged",
					"turnStarted",
					"itemCompleted userMessage",
					"contextUpdated",
					"itemStarted reasoning",
					"itemDelta reasoning",
					"itemCompleted reasoning",
					"itemStarted agentMessage",
					"itemDelta agentMessage",
					"itemCompleted agentMessage",
					"usage",
					"turnCompleted",
				]);
				assert.deepEqual(numbersOf(host.events(threadId)), numbersFrom1(host.events(threadId)));
				assert.equal(model.requests[0]?.headers.authorization?.startsWith("Bearer canary-key"), true);
				assert.deepEqual(host.received.secretRequests, ["compatible"]);
			},
		));
}

test("an answer stays in the conversation even if its turn's file changes cannot be recorded", (t) => {
	const change = calls("run_command", { command: "echo more >> unkept.txt" });
	return withShared(t, [says("Hello."), change, says("Changed."), says("Yes.")], async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Hello.");
		// Where the backups of the thread belong.
		writeFileSync(join(world.home, "threads", `${threadId}.jsonl.files`), "");
		const { end } = await runTurn(host, threadId, "Change it.");
		assert.equal(end.status, "failed");
		await runTurn(host, threadId, "Did you?");
		const said = inputLines(model.requests[3] ?? assert.fail()).filter((line) => line.startsWith("assistant"));
		assert.equal(said.length, 2, said.join("\n"));
		assert.match(said[1] ?? "", /Changed\./);
	});
});

test("plans, commands and edits are items of their own kinds whatever tool was called; the rest are tool calls", (t) => {
	const patch = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch";
	const script = [
		calls("update_plan", { steps: [{ text: "Look" }] }),
		calls("run_command", { command: "echo hello" }),
		calls("apply_patch", { patch }),
		calls("run_command", { command: ["apply_patch", patch.replace("new.txt", "newer.txt")] }),
		calls("list_files", {}),
		says("Done."),
	];
	return withShared(t, script, async ({ host }) => {
		const { published } = await runTurn(host, await aThread(host), "Do it all.");
		const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : [])).filter(isCall);
		assert.deepEqual(
			items.map(({ kind, name, status }) => [kind, name, status]),
			[
				["plan", "update_plan", "completed"],
				["command", "run_command", "completed"],
				["fileChange", "apply_patch", "completed"],
				["fileChange", "run_command", "completed"],
				["toolCall", "list_files", "completed"],
			],
		);
	});
});

test("sequence numbers continue across turns, and thread/read returns exactly what was published", (t) =>
	withShared(t, [says("one"), says("two")], async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		await runTurn(host, threadId, "second");
		const durable = host.events(threadId).filter(({ seq }) => seq !== undefined);
		assert.deepEqual(numbersOf(durable), numbersFrom1(durable));
		const { events, last, live } = await host.request(threadRead, { threadId });
		assert.deepEqual([events, last, live], [durable, durable.length, undefined]);
	}));

test("turn/start is answered once envelope and input are on disk, before the model has said anything", (t) => {
	const step = holds("", "At last.");
	return withShared(t, [step], async ({ host, world }) => {
		const threadId = await aThread(host);
		const text = "A question that must not be lost.";
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text }] });
		const onDisk = textUnder(world.home);
		assert.ok(onDisk.includes(text));
		assert.ok(onDisk.includes(turnId));
		assert.ok(onDisk.includes("fake-1"), "the envelope names the model");
		step.release();
		assert.equal((await endOfTurn(host, threadId, turnId)).text, "At last.");
	});
});

test("20,000 deltas arrive as far fewer notifications, complete and in order", (t) => {
	const step = floods(20_000);
	return withShared(t, [step], async ({ host }) => {
		const { text, published } = await runTurn(host, await aThread(host), "Go on.");
		assert.equal(text, step.text);
		const deltas = published.flatMap(({ event }) => (event.type === "itemDelta" ? [event] : []));
		assert.ok(deltas.length < 1_000, `${deltas.length} notifications`);
		assert.equal(deltas.map((delta) => delta.text).join(""), step.text);
		let offset = 0;
		for (const delta of deltas) {
			assert.equal(delta.offset, offset);
			offset += delta.text.length;
		}
	});
});

test("non-ASCII text, split anywhere, arrives unharmed", (t) => {
	const text = 'Grüße, 世界! 👩‍👩‍👧 \u0000 \u2028 \\ " end'.repeat(20);
	return withShared(t, [says(text, { chunk: 1 })], async ({ host }) => {
		assert.equal((await runTurn(host, await aThread(host), "日本語で")).text, text);
	});
});

test("text between thoughts is shown once, also if the server sends its whole answer as one piece at the end", (t) => {
	const text = (delta: string) => ({ type: "response.output_text.delta", output_index: 1, delta });
	const thought = (delta: string) => ({ type: "response.reasoning_text.delta", output_index: 0, delta });
	const message = { type: "message", content: [{ type: "output_text", text: "I look. It is fine." }] };
	const events = [
		...[thought("Hm."), text("I look."), thought("Well."), text(" It is fine.")],
		{ type: "response.output_item.done", output_index: 1, item: message },
		{ type: "response.completed", response: {} },
	];
	const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
	return withShared(t, [{ kind: "raw", body }, says("Yes.")], async ({ host, model }) => {
		const threadId = await aThread(host);
		const { published } = await runTurn(host, threadId, "How is it?");
		const shown = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.text] : [],
		);
		assert.deepEqual(shown, ["I look.", " It is fine."]);
		await runTurn(host, threadId, "Sure?");
		assert.equal(JSON.stringify(model.requests[1]?.body).split("I look. It is fine.").length, 2);
	});
});

test("usage is the server's, summed over turns; without numbers it is estimated and marked so", (t) => {
	const script = [
		withUsage(says("one"), { input: 1_000, cached: 400, output: 50, reasoning: 20 }),
		withUsage(says("two"), undefined),
	];
	return withShared(t, script, async ({ host }) => {
		const threadId = await aThread(host, { settings: { model: { contextWindow: 10_000 } } });
		await runTurn(host, threadId, "first");
		const first = host.events(threadId).find(({ event }) => event.type === "usage")?.event;
		assert.ok(first?.type === "usage");
		assert.deepEqual(first.last, { input: 1_000, cached: 400, output: 50, reasoning: 20, total: 1_050 });
		assert.deepEqual([first.total, first.window, first.estimated], [first.last, 10_000, false]);
		const { published } = await runTurn(host, threadId, "second");
		const second = published.find(({ event }) => event.type === "usage")?.event;
		assert.ok(second?.type === "usage" && second.estimated && second.last.total > 0);
	});
});

test("two threads run at the same time without mixing their events", (t) => {
	const steps = [holds("a", "A"), holds("b", "B")];
	return withShared(t, steps, async ({ host, model }) => {
		const [one, two] = [await aThread(host), await aThread(host)];
		const first = runTurn(host, one, "one");
		await model.requestNumber(1);
		const second = runTurn(host, two, "two");
		await Promise.all(steps.map((step) => step.reached));
		for (const step of steps.toReversed()) step.release();
		assert.deepEqual([(await first).text, (await second).text], ["aA", "bB"]);
	});
});

/** One line an event; deltas of one item count once, since their number is a matter of speed. */
function shapeOf(published: readonly PublishedEvent[]): readonly string[] {
	const lines = published.map(({ event }) => {
		if (event.type === "itemDelta") return `itemDelta ${event.itemKind}`;
		return "item" in event ? `${event.type} ${event.item.kind}` : event.type;
	});
	return lines.filter((line, index) => !line.startsWith("itemDelta") || line !== lines[index - 1]);
}

function numbersOf(published: readonly PublishedEvent[]): readonly number[] {
	return published.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
}

function numbersFrom1(published: readonly PublishedEvent[]): readonly number[] {
	return numbersOf(published).map((_, index) => index + 1);
}
