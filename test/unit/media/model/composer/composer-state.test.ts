import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_PROMPT_CHARS } from "../../../../../agent-host/protocol/limits.ts";
import {
	beginThread,
	type ComposerState,
	canSend,
	getDraft,
	getProblem,
	needsCommand,
	openComposer,
	sendDraft,
	switchThread,
	takeAnswer,
	typeText,
} from "../../../../../media/model/composer/composer-state.ts";

function aComposer(text: string): ComposerState {
	return typeText(openComposer(undefined), text);
}

test("an accepted draft is cleared if it was not changed meanwhile", () => {
	const sent = sendDraft(aComposer("hello"), "1");
	assert.equal(getDraft(sent), "hello");
	assert.deepEqual(takeAnswer(sent, "1", undefined), openComposer(undefined));
});

test("a draft stays if it was refused or changed meanwhile, or if the answer is for another one", () => {
	const sent = sendDraft(aComposer("hello"), "1");
	assert.deepEqual(takeAnswer(sent, "1", "Busy."), { ...aComposer("hello"), problems: { new: "Busy." } });
	assert.deepEqual(takeAnswer(typeText(sent, "hello you"), "1", undefined), aComposer("hello you"));
	assert.equal(takeAnswer(sent, "2", undefined), sent);
});

test("a draft that is blank or too long, or one during another send, is not sent", () => {
	const sending = sendDraft(aComposer("hello"), "1");
	const states = [aComposer(""), aComposer(" \n\t"), aComposer("x".repeat(MAX_PROMPT_CHARS + 1)), sending];
	assert.deepEqual(states.map(canSend), [false, false, false, false]);
	assert.deepEqual(
		states.map((state) => sendDraft(state, "2")),
		states,
	);
	assert.equal(getProblem(aComposer("x".repeat(MAX_PROMPT_CHARS))), undefined);
});

test("a draft moves into the thread that begins in its chat, sent or not, and into no other", () => {
	const begun = beginThread(sendDraft(aComposer("hello"), "1"), "thread-1");
	assert.deepEqual(begun, {
		key: "thread-1",
		drafts: { "thread-1": "hello" },
		queues: {},
		sent: { id: "1", key: "thread-1", text: "hello", from: "draft" },
		unanswered: undefined,
		problems: {},
	});
	const unsent = beginThread(aComposer("hello"), "thread-1");
	assert.deepEqual(unsent, { ...begun, sent: undefined });
	const left = switchThread(aComposer("hello"), "thread-1");
	assert.deepEqual(left, { ...openComposer(undefined), key: "thread-1", drafts: { new: "hello" } });
});

test("opening another thread while a new one begins loses neither the draft there nor the prompt on its way", () => {
	const other = typeText(switchThread(openComposer(undefined), "thread-2"), "unsent");
	const sending = sendDraft(typeText(switchThread(other, null), "hello"), "1");
	const elsewhere = switchThread(sending, "thread-2");
	assert.equal(getDraft(elsewhere), "unsent");
	assert.deepEqual(takeAnswer(elsewhere, "1", undefined).drafts, { "thread-2": "unsent" });
	const refused = takeAnswer(elsewhere, "1", "The disk is full.");
	assert.equal(getDraft(switchThread(refused, null)), "hello");
});

test("the reason for a refusal is shown in the prompt's thread, even after switching, until something is typed there", () => {
	const sent = sendDraft(typeText(switchThread(openComposer(undefined), "thread-1"), "hello"), "1");
	const elsewhere = takeAnswer(switchThread(sent, "thread-2"), "1", "The disk is full.");
	const there = switchThread(typeText(elsewhere, "other"), "thread-1");
	assert.deepEqual([elsewhere, there, typeText(there, "hello!")].map(getProblem), [
		undefined,
		"The disk is full.",
		undefined,
	]);
	const begun = beginThread(takeAnswer(sendDraft(aComposer("hello"), "1"), "1", "The disk is full."), "thread-1");
	assert.equal(getProblem(begun), "The disk is full.");
});

test("an accepted prompt clears the draft of its own thread, even after switching to another", () => {
	const sent = sendDraft(typeText(switchThread(openComposer(undefined), "thread-1"), "hello"), "1");
	const elsewhere = typeText(switchThread(sent, "thread-2"), "other");
	assert.deepEqual(takeAnswer(elsewhere, "1", undefined).drafts, { "thread-2": "other" });
});

test("only the newest drafts are kept, up to a limit", () => {
	let state = openComposer(undefined);
	for (let index = 0; index < 30; index++) state = typeText(switchThread(state, `thread-${index}`), `text ${index}`);
	assert.deepEqual(
		Object.keys(state.drafts),
		Array.from({ length: 20 }, (_, index) => `thread-${index + 10}`),
	);
});

test("a saved state is read back, and anything else is rejected", () => {
	assert.deepEqual(openComposer({ drafts: { new: "hello", broken: 1 } }), aComposer("hello"));
	for (const saved of [undefined, null, 1, "x", {}, { drafts: null }, { drafts: 1 }]) {
		assert.deepEqual(openComposer(saved), openComposer(undefined));
	}
});

test("Enter sends, adds a line in a multi-line text, or always adds one, as the user has set it", () => {
	const sends = (draft: string) =>
		(["enter", "cmdIfMultiline", "cmdAlways", undefined] as const).map((behavior) => !needsCommand(behavior, draft));
	assert.deepEqual(sends("one"), [true, true, false, true]);
	assert.deepEqual(sends("one\ntwo"), [true, false, false, true]);
});
