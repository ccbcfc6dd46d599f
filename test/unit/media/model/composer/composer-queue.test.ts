import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	dropQueued,
	editQueued,
	findNextQueued,
	getQueue,
	MAX_QUEUED,
	queueDraft,
	reorderQueue,
	sendQueued,
} from "../../../../../media/model/composer/composer-queue.ts";
import {
	type ComposerState,
	getDraft,
	getProblem,
	openComposer,
	switchThread,
	takeAnswer,
	typeText,
} from "../../../../../media/model/composer/composer-state.ts";

/** A composer in a thread where these messages wait, each under its own text as id. */
function waiting(...texts: readonly string[]): ComposerState {
	const start = switchThread(openComposer(undefined), "thread-1");
	return texts.reduce((state, text) => queueDraft(typeText(state, text), text), start);
}

function textsOf(state: ComposerState): readonly string[] {
	return getQueue(state).map(({ text }) => text);
}

test("a draft goes to the end of its thread's queue and leaves the composer empty", () => {
	const state = waiting("one", "two");
	assert.deepEqual([textsOf(state), getDraft(state)], [["one", "two"], ""]);
	assert.deepEqual(textsOf(switchThread(state, "thread-2")), []);
	assert.deepEqual(textsOf(switchThread(switchThread(state, "thread-2"), "thread-1")), ["one", "two"]);
});

test("blank drafts are not queued, and a draft beyond the queue's limit stays in the composer", () => {
	const full = waiting(...Array.from({ length: MAX_QUEUED }, (_, index) => `message ${index}`));
	const refused = queueDraft(typeText(full, "one more"), "x");
	assert.deepEqual([getQueue(refused).length, getDraft(refused)], [MAX_QUEUED, "one more"]);
	assert.match(getProblem(refused) ?? "", /up to 20 messages/);
	const blank = typeText(full, " \n");
	assert.equal(queueDraft(blank, "x"), blank);
});

test("a message taken back is put before the current draft", () => {
	const state = editQueued(typeText(waiting("one", "two"), "three"), "one");
	assert.deepEqual([textsOf(state), getDraft(state)], [["two"], "one\n\nthree"]);
	assert.equal(getDraft(editQueued(waiting("one"), "one")), "one");
});

test("an accepted message leaves the queue; a refused one stays with the reason and is not sent again automatically", () => {
	const sent = sendQueued(waiting("one", "two"), "one");
	assert.deepEqual(textsOf(takeAnswer(sent, "one", undefined)), ["two"]);
	const refused = takeAnswer(sent, "one", "Busy.");
	assert.deepEqual(
		[textsOf(refused), getProblem(refused), findNextQueued(refused)],
		[["one", "two"], "Busy.", undefined],
	);
	assert.equal(sendQueued(refused, "one").sent?.text, "one");
});

test("while a message is being sent it cannot be changed or deleted, and no other one is sent", () => {
	const sent = sendQueued(waiting("one", "two"), "one");
	assert.equal(editQueued(sent, "one"), sent);
	assert.equal(dropQueued(sent, "one"), sent);
	assert.equal(sendQueued(sent, "two"), sent);
	assert.equal(findNextQueued(sent), undefined);
});

test("an answer that arrives after switching threads applies to the queue of its own thread", () => {
	const left = switchThread(sendQueued(waiting("one"), "one"), "thread-2");
	assert.deepEqual(takeAnswer(left, "one", undefined).queues, {});
});

test("no order of moves loses, doubles or changes a message", () => {
	const moves = fc.array(fc.tuple(fc.nat(5), fc.constantFrom("up" as const, "down" as const)));
	fc.assert(
		fc.property(moves, (steps) => {
			const all = ["a", "b", "c", "d", "e"];
			const moved = steps.reduce((state, [at, way]) => reorderQueue(state, all[at] ?? "?", way), waiting(...all));
			assert.deepEqual([...textsOf(moved)].sort(), all);
		}),
	);
	assert.deepEqual(textsOf(reorderQueue(waiting("a", "b", "c"), "c", "up")), ["a", "c", "b"]);
});

test("a saved queue is read back, and anything else is rejected", () => {
	const { drafts, queues } = waiting("one", "two");
	assert.deepEqual(openComposer(JSON.parse(JSON.stringify({ drafts, queues }))).queues, queues);
	for (const saved of [null, 1, { queues: 1 }, { queues: { a: 1, b: [1, {}, { id: "x" }] } }]) {
		assert.deepEqual(openComposer(saved).queues, {});
	}
});
