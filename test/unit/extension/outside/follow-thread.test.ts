import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import { ThreadEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { createThreadFollower } from "../../../../extension/outside/follow-thread.ts";

const THREAD = ThreadId.parse("thread");
const delta = (itemId: string, offset: number, text: string, itemKind = "agentMessage") =>
	ThreadEvent.parse({ type: "itemDelta", turnId: "t1", itemId, itemKind, offset, text });
const done = (id: string, text: string) =>
	ThreadEvent.parse({ type: "itemCompleted", turnId: "t1", item: { kind: "agentMessage", id, text } });
const ended = (status: string, message?: string) =>
	ThreadEvent.parse({
		...{ type: "turnCompleted", turnId: "t1", status },
		...(message === undefined ? {} : { error: { code: "server", message } }),
	});

test("a follower of a thread gets each piece of the answers once, with a gap between two messages", () => {
	const { tell } = createThreadFollower(THREAD);
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

test("a turn whose host ends is reported as ended once, with the reason", () => {
	const { tell, tellHostEnded } = createThreadFollower(THREAD);
	assert.deepEqual(tellHostEnded(), []);
	tell(delta("a", 0, "Hel"));
	const message = "The agent host ended before it answered. Try again.";
	assert.deepEqual(tellHostEnded(), [{ type: "ended", turnId: "t1", status: "interrupted", message }]);
	assert.deepEqual(tellHostEnded(), []);
	assert.deepEqual(tell(ended("interrupted", "The next host says so, too.")), []);
});

test("a finished turn does not count as running again because of a later event about it", () => {
	const { tell, tellHostEnded } = createThreadFollower(THREAD);
	tell(delta("b", 0, "Hel"));
	assert.equal(tell(ended("completed")).length, 1);
	tell(ThreadEvent.parse({ type: "restored", turnId: "t1", files: [], redone: false }));
	tell(ThreadEvent.parse({ type: "pinChanged", turnId: "t1", text: "Keep this." }));
	assert.deepEqual(tellHostEnded(), []);
});

test("a turn waits for the user while one of its sub-agents does, at any depth, but not for other turns' agents", () => {
	const { tell, tellOther } = createThreadFollower(THREAD);
	const [a, b] = [ThreadId.parse("agent-a"), ThreadId.parse("agent-b")];
	const starts = (threadId: ThreadId) =>
		ThreadEvent.parse({
			type: "agentChanged",
			turnId: "t1",
			agent: { threadId, callId: "c", name: "scout", role: "explore", state: "running" },
		});
	const asks = (threadId: ThreadId, parent: string) =>
		ThreadEvent.parse({
			type: "questionAsked",
			turnId: "t9",
			request: {
				...{ threadId, turnId: "t9", questionId: "q", choices: ["continue", "stop"] },
				subject: { kind: "loop", name: "read_file", title: "Read a", times: 3 },
				agent: { parent, name: "scout", role: "explore" },
			},
		});
	tell(delta("a", 0, "I ask others."));
	tell(starts(a));
	tellOther(a, starts(b));
	assert.deepEqual(tellOther(a, asks(a, THREAD)), [{ type: "waiting", turnId: "t1" }]);
	assert.deepEqual(tellOther(b, asks(b, a)), [{ type: "waiting", turnId: "t1" }]);
	assert.deepEqual(tellOther(ThreadId.parse("other"), asks(ThreadId.parse("other"), "another")), []);
	tell(ended("completed"));
	assert.deepEqual(tellOther(a, asks(a, THREAD)), []);
});
