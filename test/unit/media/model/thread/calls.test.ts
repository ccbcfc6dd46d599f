import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../../agent-host/protocol/ids.ts";
import { foldEvents } from "../../../../../media/model/thread/fold-events.ts";
import { emptyTranscript } from "../../../../../media/model/thread/transcript.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { aTranscript } from "./a-transcript.ts";

test("the output of a call grows while it runs, and is cut with it", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const thread = new AThread().turn().begin({ ...call, status: "running" });
	const delta = (offset: number, text: string) => {
		const { at, event } = thread.delta("c", offset, text);
		return { at, event: { ...event, itemKind: "toolCall" } } as ReturnType<AThread["delta"]>;
	};
	const running = foldEvents(aTranscript(thread), [delta(0, "one\n"), delta(4, "two\n")]);
	assert.equal(running.live.get("c"), "one\ntwo\n");
	const cut = foldEvents(running, thread.end().events.slice(-1));
	assert.deepEqual(
		cut.entries.map((entry) => entry.kind === "toolCall" && [entry.output, entry.status]),
		[["one\ntwo\n", "interrupted"]],
	);
	const early = foldEvents(foldEvents(emptyTranscript(""), new AThread().turn().events), [delta(0, "x")]);
	assert.equal(early.entries.length, 0, "output of a call that nobody knows");
});

test("a sub-agent whose turn the host did not live to end is shown as interrupted, until its real end is known", () => {
	const call = {
		kind: "toolCall",
		id: "c",
		callId: "c",
		name: "start_agent",
		arguments: "{}",
		title: "Agent",
	} as const;
	const agent = { threadId: ThreadId.parse("a"), callId: "c", name: "reader", role: "explore" } as const;
	const states = (thread: AThread) =>
		aTranscript(thread).entries.flatMap((entry) => (entry.kind === "toolCall" ? [entry.agent?.state] : []));
	const thread = new AThread().turn().item({ ...call, status: "completed" });
	thread.add({ type: "agentChanged", agent: { ...agent, state: "running" } });
	assert.deepEqual(states(thread), ["running"]);
	thread.end();
	assert.deepEqual(states(thread), ["interrupted"]);
	thread.turn().add({ type: "agentChanged", agent: { ...agent, state: "completed", summary: "Found." } });
	assert.deepEqual(states(thread), ["completed"]);
	thread.end();
	assert.deepEqual(states(thread), ["completed"]);
});

test("a call's duration runs from its first event to its last", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const { events } = new AThread()
		.turn()
		.begin({ ...call, status: "running" })
		.item({ ...call, status: "completed" });
	const timed = events.map((event, index) => ({ ...event, at: index * 1_000 }));
	const [entry] = foldEvents(emptyTranscript(""), timed).entries;
	assert.deepEqual(entry?.kind === "toolCall" && [entry.startedAt, entry.ms], [1_000, 1_000]);
});

test("a call that needed no approval keeps the reason of its verdict, both while it runs and afterwards", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const decided = {
		type: "decided",
		callId: "c",
		what: "Run",
		by: "policy",
		digest: "d",
		reason: "It is free.",
	} as const;
	const { events } = new AThread()
		.turn()
		.begin({ ...call, status: "running" })
		.add({ ...decided, decision: "allow" })
		.item({ ...call, status: "completed" });
	const reasons = [3, 4].map((count) => foldEvents(emptyTranscript(""), events.slice(0, count)).entries[0]);
	assert.deepEqual(
		reasons.map((entry) => entry?.kind === "toolCall" && entry.unasked),
		["It is free.", "It is free."],
	);
});

test("a command's own duration and containment are shown, not its turn's", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const command = { exitCode: 0, durationMs: 42, sandbox: "outside the sandbox", containment: "outside" } as const;
	const { events } = new AThread().turn().item({ ...call, status: "completed", command });
	const [entry] = foldEvents(emptyTranscript(""), events).entries;
	assert.ok(entry?.kind === "toolCall");
	assert.deepEqual([entry.ms, entry.held], [42, { word: "outside the sandbox", words: "outside the sandbox" }]);
});
