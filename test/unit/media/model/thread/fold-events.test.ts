import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ItemId, type TurnId } from "../../../../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../../../../agent-host/protocol/thread/events.ts";
import type { Item } from "../../../../../agent-host/protocol/thread/item.ts";
import { foldEvents } from "../../../../../media/model/thread/fold-events.ts";
import { applyLive } from "../../../../../media/model/thread/live-texts.ts";
import { emptyTranscript, getText, type Transcript } from "../../../../../media/model/thread/transcript.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { growthOf, MOST_GROWTH } from "../../../../support/linear.ts";
import { reduceTranscript } from "./a-transcript.ts";

function fold(events: readonly PublishedEvent[]): Transcript {
	return events.reduce(reduceTranscript, emptyTranscript("A thread"));
}

/** A turn with every kind of entry, and deltas as the host sends them between the durable events. */
function aFullThread(): { readonly thread: AThread; readonly events: PublishedEvent[] } {
	const thread = new AThread().turn().ask("Question");
	const fragment = { kind: "environment", role: "user", origin: "host", summary: "cwd /app", tokens: 12 } as const;
	thread.add({ type: "contextUpdated", fragments: [fragment] });
	thread.item({ kind: "reasoning", text: "A thought." });
	const call = {
		kind: "toolCall",
		id: "call",
		callId: "c",
		name: "read_file",
		arguments: "{}",
		title: "Read",
	} as const;
	thread.begin({ ...call, status: "running" }).item({ ...call, status: "completed", output: "1: x" });
	thread.item({ kind: "notice", level: "info", text: "A notice." });
	thread.add({ type: "warning", code: "w", message: "A warning." });
	thread.begin({ kind: "agentMessage", id: "answer", text: "" });
	const deltas = [thread.delta("answer", 0, "Hello "), thread.delta("answer", 6, "world")];
	const events = [...thread.events, ...deltas];
	events.push(thread.next({ type: "titleChanged", title: "A better title" }));
	const error = { code: "server", message: "It failed." } as const;
	events.push(thread.next({ type: "turnCompleted", status: "failed", error }));
	return { thread, events };
}

test("a retried prompt is shown once, in the unfinished turn, and a message during the retry is shown too", () => {
	const thread = new AThread().turn().ask("Question");
	thread.add({ type: "turnCompleted", status: "failed", error: { code: "server", message: "It failed." } });
	const envelope = { provider: "demo", model: "demo", window: 100_000, roots: [], trusted: true, tools: [] };
	thread.add({ type: "turnStarted", turnId: "turn-2", envelope, repeats: "turn-1" as TurnId });
	for (const text of ["Question", "And look here"]) {
		thread.add({ type: "itemCompleted", turnId: "turn-2", item: aMessage(text) });
	}
	const prompts = fold(thread.events).entries.flatMap((entry) => (entry.kind === "userMessage" ? [entry.text] : []));
	assert.deepEqual(prompts, ["Question", "And look here"]);
});

function aMessage(text: string): Item {
	return { kind: "userMessage", id: ItemId.parse(`said-${text.length}`), messageKind: "plain", text };
}

test("a thread becomes entries in the order in which they are read", () => {
	const turn = { turnId: "turn-1" };
	assert.deepEqual(fold(aFullThread().events), {
		last: 11,
		gap: false,
		title: "A better title",
		entries: [
			{
				...turn,
				key: "item-1",
				itemId: "item-1",
				kind: "userMessage",
				messageKind: "plain",
				text: "Question",
				images: [],
				attached: 0,
				steered: false,
			},
			{
				...{ ...turn, key: "item-2", itemId: "item-2", kind: "reasoning", text: "A thought.", state: "done" },
				...{ startedAt: 0, ms: 0 },
			},
			{
				...turn,
				key: "call",
				itemId: "call",
				kind: "toolCall",
				callId: "c",
				by: "agent",
				name: "read_file",
				arguments: "{}",
				cut: undefined,
				title: "Read",
				status: "completed",
				output: "1: x",
				command: undefined,
				startedAt: 0,
				ms: 0,
				unasked: undefined,
				asked: [],
				held: undefined,
				agent: undefined,
			},
			{ ...turn, key: "item-5", itemId: "item-5", kind: "notice", level: "info", text: "A notice." },
			{ ...turn, key: "e8", kind: "warning", code: "w", text: "A warning." },
			{
				...{ ...turn, key: "answer", itemId: "answer", kind: "agentMessage", text: "Hello world", state: "ended" },
				...{ startedAt: 0, ms: undefined },
			},
			{
				...turn,
				key: "e11",
				kind: "turnEnd",
				status: "failed",
				error: { code: "server", message: "It failed." },
				facts: {
					ms: 0,
					spent: undefined,
					retries: 0,
					context: [
						{
							...turn,
							key: "e3",
							kind: "context",
							scope: "all",
							fragments: [{ kind: "environment", role: "user", origin: "host", summary: "cwd /app", tokens: 12 }],
						},
					],
					changes: undefined,
				},
			},
		],
		live: new Map(),
		running: undefined,
		spent: undefined,
		counted: undefined,
		questions: [],
		agents: new Map(),
		versions: [],
		approvals: [],
		envelope: { provider: "demo", model: "demo", window: 100_000, roots: [], trusted: true, tools: [] },
		goal: undefined,
		halted: "turn-1",
		plan: undefined,
		compacting: undefined,
		undoable: undefined,
		startedAt: new Map([["turn-1", 0]]),
		pins: new Map(),
		hasContext: true,
	});
});

test("events that repeat change nothing, wherever they repeat", () => {
	const { events } = aFullThread();
	const whole = fold(events);
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(events.length), fc.nat(events.length))), (repeats) => {
			const told = [...events];
			// A later place in the list may only repeat what came before it.
			for (const [place, source] of repeats) {
				const event = events[source];
				if (event?.seq !== undefined && place > source) told.splice(place + (told.length - events.length), 0, event);
			}
			assert.deepEqual(fold(told), whole);
		}),
	);
});

test("a batch gives the same as its events one by one, however it is cut", () => {
	const { events } = aFullThread();
	for (let cut = 0; cut <= events.length; cut++) {
		const half = foldEvents(emptyTranscript("A thread"), events.slice(0, cut));
		assert.deepEqual(foldEvents(half, events.slice(cut)), fold(events));
	}
});

test("a fold does not modify the transcript it started from", () => {
	const { events } = aFullThread();
	for (let cut = 0; cut <= events.length; cut++) {
		const half = fold(events.slice(0, cut));
		const copy = structuredClone(half);
		foldEvents(half, events.slice(cut));
		assert.deepEqual(half, copy);
	}
});

test("a missing event leaves a gap, later events are ignored, and its arrival closes the gap", () => {
	const { events } = new AThread().turn().ask("one").ask("two").ask("three");
	const [started, one, two, three] = events as [PublishedEvent, PublishedEvent, PublishedEvent, PublishedEvent];
	const before = fold([started, one]);
	const gap = reduceTranscript(before, three);
	assert.deepEqual(gap, { ...before, gap: true });
	assert.deepEqual(foldEvents(gap, [two, three]), fold(events));
});

test("a delta seen twice or cut differently never corrupts the text", () => {
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	const text = "The quick brown fox jumps.";
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(text.length), fc.nat(10))), (pieces) => {
			let transcript = fold([...thread.events, thread.delta("m", 0, text.slice(0, 10))]);
			for (const [offset, length] of pieces) {
				const known = transcript.live.get("m") ?? "";
				const delta = thread.delta("m", offset, text.slice(offset, offset + length));
				transcript = reduceTranscript(transcript, delta);
				const longer = text.slice(0, Math.max(known.length, offset + length));
				assert.equal(transcript.live.get("m"), offset > known.length ? known : longer);
			}
		}),
	);
});

test("a delta that begins after the known text is a gap", () => {
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	const before = fold(thread.events);
	assert.deepEqual(reduceTranscript(before, thread.delta("m", 3, "later")), { ...before, gap: true });
});

test("a late delta of an item that is whole, or of a turn that is over, changes nothing", () => {
	const thread = new AThread().turn().item({ kind: "agentMessage", id: "m", text: "Whole." }).end();
	const before = fold(thread.events);
	const late = [thread.delta("m", 0, "Who"), thread.delta("m", 6, " And more."), thread.delta("unknown", 0, "x")];
	assert.deepEqual(foldEvents(before, late), before);
});

test("the text of the item in flight is taken over, unless deltas are already ahead of it", () => {
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	const live = { turnId: "turn-1", itemId: "m", itemKind: "agentMessage" } as const;
	const loaded = applyLive(fold(thread.events), { ...live, text: "Hello wor" });
	const ahead = reduceTranscript(loaded, thread.delta("m", 9, "ld"));
	const again = applyLive(ahead, { ...live, text: "Hello wor" });
	assert.deepEqual(
		[loaded, ahead, again].map((transcript) => transcript.live.get("m")),
		["Hello wor", "Hello world", "Hello world"],
	);
});

test("a turn that its host did not end is marked as cut when the next one starts", () => {
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	const events = [...thread.events, thread.delta("m", 0, "Half")];
	const { entries, live, running } = fold([...events, ...thread.turn().events.slice(-1)]);
	assert.deepEqual(
		{ entries, live, running },
		{
			entries: [
				{
					...{ key: "m", turnId: "turn-1", itemId: "m", kind: "agentMessage", text: "Half", state: "cut" },
					...{ startedAt: 0, ms: undefined },
				},
			],
			live: new Map(),
			running: { turnId: "turn-2", since: 0, steps: 0, retries: 0 },
		},
	);
});

test("a delta costs the same however long the thread is, and leaves its thousands of entries as they are", () => {
	const thread = new AThread();
	for (let turn = 0; turn < 2_500; turn++) thread.turn().ask("question").answer("answer").end();
	thread.turn().begin({ kind: "agentMessage", id: "long", text: "" });
	const deltas = Array.from({ length: 20_000 }, (_, index) => thread.delta("long", index * 5, "word "));
	const loaded = foldEvents(emptyTranscript("A thread"), thread.events);
	const fold = (some: typeof deltas) => some.reduce(reduceTranscript, loaded);
	const folded = fold(deltas);
	assert.equal(folded.live.get("long")?.length, 100_000);
	assert.equal(folded.entries, loaded.entries);
	const growth = growthOf((count) => deltas.slice(0, count), fold, deltas.length);
	assert.ok(growth < MOST_GROWTH, `${growth.toFixed(1)} times as long`);
});

test("the text of an entry is the text in flight, else the recorded one", () => {
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "recorded" });
	const before = fold(thread.events);
	const after = reduceTranscript(before, thread.delta("m", 8, " and more"));
	const entry = { itemId: "m", text: "recorded" };
	assert.deepEqual([getText(before, entry), getText(after, entry)], ["recorded", "recorded and more"]);
});

test("a patch being written shows as far as it has come, and is replaced by the next recorded item", () => {
	const thread = new AThread().turn().ask("Patch it");
	const before = fold(thread.events);
	const piece = (offset: number, text: string): PublishedEvent => {
		const delta = thread.delta("draft-1", offset, text);
		assert.ok(delta.event.type === "itemDelta");
		return { ...delta, event: { ...delta.event, itemKind: "draft" } };
	};
	const written = [piece(0, "*** Begin"), piece(9, " Patch\n")].reduce(reduceTranscript, before);
	const entry = written.entries.at(-1);
	assert.ok(entry?.kind === "draft");
	assert.equal(getText(written, entry), "*** Begin Patch\n");
	const after = reduceTranscript(written, thread.next({ type: "titleChanged", title: "t" }));
	assert.deepEqual([after.entries, after.live.size], [before.entries, 0]);
});

test("a prompt or a message is pinned until it is unpinned or its turn is taken back", () => {
	const thread = new AThread().turn().ask("one").end().turn().ask("two").end();
	for (const turnId of ["turn-1", "turn-2"]) thread.add({ type: "pinChanged", turnId, text: "kept" });
	thread.add({ type: "pinChanged", turnId: "turn-2", itemId: "item-9" as never, text: "by the way" });
	const both = fold(thread.events);
	const unpinned = reduceTranscript(both, thread.next({ type: "pinChanged", turnId: "turn-1" }));
	const takenBack = reduceTranscript(unpinned, thread.next({ type: "rolledBack", turnIds: ["turn-2" as never] }));
	assert.deepEqual(
		[both, unpinned, takenBack].map(({ pins }) => [...pins.keys()]),
		[["turn-1", "turn-2", "item-9"], ["turn-2", "item-9"], []],
	);
});
