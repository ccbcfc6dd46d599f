import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { createThreadFollower } from "../../../../extension/outside/follow-thread.ts";

const delta = (itemId: string, offset: number, text: string, itemKind = "agentMessage") =>
	ThreadEvent.parse({ type: "itemDelta", turnId: "t1", itemId, itemKind, offset, text });
const done = (id: string, text: string) =>
	ThreadEvent.parse({ type: "itemCompleted", turnId: "t1", item: { kind: "agentMessage", id, text } });
const ended = (status: string, message?: string) =>
	ThreadEvent.parse({
		...{ type: "turnCompleted", turnId: "t1", status },
		...(message === undefined ? {} : { error: { code: "server", message } }),
	});

test("who follows a thread gets each piece of the answers once, with a gap between two messages", () => {
	const { tell } = createThreadFollower();
	const events = [
		delta("a", 0, "Hel"),
		delta("a", 0, "Hel"),
		delta("a", 2, "llo"),
		delta("r", 0, "thinking", "reasoning"),
		done("a", "Hello."),
		done("b", "Bye."),
	];
	const told = events.flatMap((event) => tell(event));
	assert.deepEqual(
		told.map((event) => event.type === "text" && event.text),
		["Hel", "lo", ".", "\n\nBye."],
	);
	assert.deepEqual(tell(ended("failed", "No.")), [{ type: "ended", turnId: "t1", status: "failed", message: "No." }]);
});

test("a turn whose host ends has ended, once, and says why", () => {
	const { tell, tellHostEnded } = createThreadFollower();
	assert.deepEqual(tellHostEnded(), []);
	tell(delta("a", 0, "Hel"));
	const message = "The agent host ended before it answered. Try again.";
	assert.deepEqual(tellHostEnded(), [{ type: "ended", turnId: "t1", status: "interrupted", message }]);
	assert.deepEqual(tellHostEnded(), []);
	assert.deepEqual(tell(ended("interrupted", "The next host says so, too.")), []);
});

test("a turn that has ended is not running again because something is done about it later", () => {
	const { tell, tellHostEnded } = createThreadFollower();
	tell(delta("b", 0, "Hel"));
	assert.equal(tell(ended("completed")).length, 1);
	tell(ThreadEvent.parse({ type: "restored", turnId: "t1", files: [], redone: false }));
	tell(ThreadEvent.parse({ type: "pinChanged", turnId: "t1", text: "Keep this." }));
	assert.deepEqual(tellHostEnded(), []);
});
