import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ItemId, ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import { createPublisher } from "../../../agent-host/surfaces/editor/publish.ts";

const threadId = ThreadId.parse("t");
const turnId = TurnId.parse("turn");
const delta = (offset: number, text: string, item = "i"): PublishedEvent => ({
	at: 1,
	event: { type: "itemDelta", turnId, itemId: ItemId.parse(item), itemKind: "agentMessage", offset, text },
});
const ended: PublishedEvent = { seq: 1, at: 1, event: { type: "turnCompleted", turnId, status: "completed" } };

test("small pieces of text travel together, and nothing overtakes them", () => {
	const sent: PublishedEvent[] = [];
	const { publish } = createPublisher((_, event) => sent.push(event));
	publish(threadId, delta(0, "a"));
	publish(threadId, delta(1, "b"));
	publish(threadId, delta(0, "c", "other"));
	publish(threadId, ended);
	assert.deepEqual(sent, [delta(0, "ab"), delta(0, "c", "other"), ended]);
});

test("a text that starts over is not merged with the one it replaces", () => {
	const sent: PublishedEvent[] = [];
	const { publish, flush } = createPublisher((_, event) => sent.push(event));
	for (const [offset, text] of [
		[7, "ab"],
		[9, "c"],
		[0, "the end"],
		[7, "!"],
	] as const)
		publish(threadId, delta(offset, text));
	flush();
	assert.deepEqual(sent, [delta(7, "abc"), delta(0, "the end!")]);
});

test("text waits at most 16 ms, or until 8 KiB have gathered", () => {
	mock.timers.enable({ apis: ["setTimeout"] });
	const sent: PublishedEvent[] = [];
	const { publish } = createPublisher((_, event) => sent.push(event));
	publish(threadId, delta(0, "a"));
	mock.timers.tick(15);
	assert.equal(sent.length, 0);
	mock.timers.tick(1);
	assert.deepEqual(sent, [delta(0, "a")]);
	publish(threadId, delta(1, "x".repeat(8_192)));
	assert.equal(sent.length, 2);
	mock.timers.reset();
});
