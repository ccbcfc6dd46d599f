import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "../../../page/a-thread.ts";
import { type APage, aPage, aStoppedThread } from "./a-page.ts";

const THREAD = "thread-1";

/** A page on a running turn with this in its queue. */
function aQueue(...texts: readonly string[]): APage {
	const one = aPage();
	one.load(THREAD, new AThread().turn().ask("Work"));
	for (const text of texts) {
		one.page.composer.type(text);
		one.page.composer.submit("queue");
	}
	one.takePosted();
	return one;
}

const LATER = {
	"an undone file": { type: "restored", files: ["a.ts"], conflicts: [], redone: false },
	"a warning": { type: "warning", code: "full-access-ended", message: "" },
	"a rollback": { type: "rolledBack", turnIds: ["turn-1"], files: [] },
} as const;

for (const [what, event] of Object.entries(LATER)) {
	test(`after a stopped turn the queue waits for the user, also with ${what} after it, and after a reload`, () => {
		const before = aQueue("and then this");
		const stopped = aStoppedThread(event as never);
		before.load(THREAD, stopped);
		const after = aPage(before.saved());
		after.load(THREAD, stopped);
		assert.deepEqual([before.takePosted(), after.takePosted()], [[], []]);
		assert.deepEqual(
			Object.values(after.page.composer.state.value.queues)
				.flat()
				.map(({ text }) => text),
			["and then this"],
		);
	});
}

test("after a turn that has ended well the queue goes on, also after a reload", () => {
	const before = aQueue("and then this");
	const after = aPage(before.saved());
	after.load(THREAD, new AThread().turn().ask("Work").end());
	assert.deepEqual(
		after.takePosted().map(({ type }) => type),
		["submit"],
	);
});

test("a side question that begins its thread stays, and one in a thread that is left is given up", () => {
	const { page, takePosted } = aPage();
	page.receive({ type: "thread", threadId: null, title: "" });
	page.composer.type("/btw what is this?");
	page.composer.submit();
	page.receive({ type: "opening", threadId: THREAD, begun: true });
	assert.equal(page.aside.card.value?.question, "what is this?");
	assert.deepEqual(
		takePosted().map(({ type }) => type),
		["askAside"],
	);
	page.receive({ type: "thread", threadId: "thread-2", title: "" });
	assert.deepEqual(
		takePosted().map(({ type }) => type),
		["stopAside"],
	);
});

test("what is typed while a thread is loaded is written for that thread, and nothing on the page is about the one before", () => {
	const { page, load } = aPage();
	page.receive({ type: "opening", threadId: THREAD });
	page.composer.type("for the first");
	load(THREAD, new AThread().turn().ask("Work"));
	assert.equal(page.composer.draft.value, "for the first");
	page.receive({ type: "opening", threadId: "thread-2" });
	page.composer.type("for the second");
	assert.deepEqual([page.thread.isRunning.value, page.thread.rows.value, page.thread.loading.value], [false, [], true]);
	load("thread-2", new AThread().turn().ask("Other work").end());
	assert.equal(page.composer.draft.value, "for the second");
	load(THREAD, new AThread().turn().ask("Work"));
	assert.deepEqual([page.composer.draft.value, page.thread.isRunning.value], ["for the first", true]);
});

for (const how of ["send", "queue", "steer", "stopAndSend"] as const) {
	test(`a command is run and never sent to the model, also by "${how}" while a turn runs`, () => {
		const { page, takePosted } = aQueue();
		page.composer.type("/compact");
		page.composer.submit(how);
		page.composer.type("/contxt");
		page.composer.submit(how);
		assert.deepEqual(
			takePosted().map(({ type }) => type),
			["compact"],
		);
		assert.deepEqual(page.composer.state.value.queues, {});
		assert.equal(page.composer.draft.value, "/contxt");
	});
}
