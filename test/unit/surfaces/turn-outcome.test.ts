import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import { createTurnWatch } from "../../../agent-host/surfaces/turn-watch.ts";

const threadId = ThreadId.parse("thread");
const turnId = TurnId.parse("turn");
const envelope = { provider: "p", model: "m", window: 1, roots: [], trusted: true, tools: [] };
const subject = { kind: "network", host: "a.example", port: 443, process: "curl" };
const request = {
	threadId,
	turnId,
	callId: "c",
	approvalId: "a",
	digest: "d",
	reason: "r",
	subject,
	choices: ["deny"],
};

/** Events as a session publishes them. */
const EVENTS = [
	{ type: "turnStarted", turnId, envelope },
	{ type: "approvalRequested", turnId, request },
	{ type: "approvalResolved", turnId, approvalId: "a", decision: "deny", by: "user" },
	{ type: "decided", turnId, callId: "e", what: "Read /etc", decision: "deny", by: "policy", reason: "r", digest: "d" },
	{ type: "itemCompleted", turnId, item: { kind: "agentMessage", id: "i1", text: "First." } },
	{ type: "itemCompleted", turnId: "another", item: { kind: "agentMessage", id: "i2", text: "Not mine." } },
	{ type: "itemCompleted", turnId, item: { kind: "agentMessage", id: "i3", text: "Last." } },
	{ type: "filesChanged", turnId, files: 1, paths: ["/work/a"] },
	{ type: "turnCompleted", turnId, status: "completed" },
].map((event) => ThreadEvent.parse(event));

test("the outcome of a turn is its last message, its changes and its refusals", async () => {
	const watch = createTurnWatch();
	const statuses: (string | undefined)[] = [];
	watch.follow(threadId, () => statuses.push(watch.newest(threadId)?.status));
	const ended = EVENTS.map((event, index) => {
		watch.publish(threadId, { at: 0, event });
		return index === 1 ? { ended: watch.ended(threadId, turnId), waiting: watch.newest(threadId)?.waiting } : undefined;
	})[1];
	assert.deepEqual(ended?.waiting, { a: "Connect to a.example:443" });
	const { text, changedFiles, refused, status, waiting } = (await ended?.ended) ?? {};
	assert.deepEqual(
		{ text, changedFiles, refused, status, waiting },
		{
			text: "Last.",
			changedFiles: ["/work/a"],
			refused: ["Connect to a.example:443", "Read /etc"],
			status: "completed",
			waiting: {},
		},
	);
	assert.deepEqual([statuses.at(0), statuses.at(-1)], ["running", "completed"]);
	assert.equal((await watch.ended(threadId, turnId)).text, "Last.");
});
