import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolEntry } from "../../../../../media/model/thread/entry.ts";
import { readToolFacts } from "../../../../../media/model/thread/tool-facts.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { type APage, aPage } from "../a-page.ts";

const THREAD = "thread-1";
const WHOLE = JSON.stringify({ patch: "*** Begin Patch\n*** Add File: a.ts\n+one\n+two\n*** End Patch" });
const FILE = { path: "a.ts", operation: "add", added: 2, removed: 0 } as const;
const CALL = {
	kind: "fileChange" as const,
	...{ id: "call", callId: "c", name: "apply_patch", title: "Add a.ts" },
	...{ arguments: WHOLE.slice(0, 20), cut: { characters: WHOLE.length, files: [FILE] } },
};

function anOpenCall(): { readonly one: APage; readonly thread: AThread } {
	const one = aPage();
	const thread = new AThread().turn().begin({ ...CALL, status: "running" });
	one.load(THREAD, thread);
	one.takePosted();
	return { one, thread };
}

function callOf({ page }: APage): ToolEntry {
	const entry = page.thread.newest.entries.find(({ kind }) => kind === "toolCall");
	assert.ok(entry?.kind === "toolCall");
	return entry;
}

test("a patch sent in part shows its files and line counts, and its text is requested once until it arrives", () => {
	const { one } = anOpenCall();
	assert.deepEqual(readToolFacts(callOf(one)), { kind: "patch", patch: "", files: [{ ...FILE, diff: "" }] });
	one.page.readPatch(callOf(one));
	one.page.readPatches();
	assert.deepEqual(one.takePosted(), [{ type: "readPatch", seq: 2 }]);
	one.page.receive({ type: "patch", threadId: THREAD, seq: 2, text: WHOLE });
	assert.deepEqual([callOf(one).arguments, callOf(one).cut], [WHOLE, undefined]);
	one.page.readPatches();
	assert.deepEqual(one.takePosted(), []);
});

test("a patch that was read stays whole when its call ends", () => {
	const { one, thread } = anOpenCall();
	one.page.receive({ type: "patch", threadId: THREAD, seq: 2, text: WHOLE });
	one.page.receive({
		...{ type: "events", threadId: THREAD, loading: false },
		events: [thread.next({ type: "itemCompleted", item: { ...CALL, status: "completed" } as never })],
	});
	const { arguments: text, cut, status } = callOf(one);
	assert.deepEqual([text, cut, status], [WHOLE, undefined, "completed"]);
});

test("when a call ends its patch is requested by the new number, and a patch of another thread is ignored", () => {
	const { one, thread } = anOpenCall();
	one.page.readPatches();
	thread.item({ ...CALL, status: "completed" });
	one.page.receive({ type: "events", threadId: THREAD, events: thread.events.slice(-1), loading: false });
	one.page.receive({ type: "patch", threadId: THREAD, seq: 2, text: WHOLE });
	one.page.receive({ type: "patch", threadId: "other", seq: 3, text: WHOLE });
	assert.equal(callOf(one).cut?.seq, 3);
	one.page.readPatches();
	assert.deepEqual(one.takePosted(), [
		{ type: "readPatch", seq: 2 },
		{ type: "readPatch", seq: 3 },
	]);
});

test("after the thread was sent again its patches can be asked for again", () => {
	const { one, thread } = anOpenCall();
	one.page.readPatches();
	one.load("another", new AThread());
	one.load(THREAD, thread);
	one.takePosted();
	one.page.readPatches();
	assert.deepEqual(one.takePosted(), [{ type: "readPatch", seq: 2 }]);
});
