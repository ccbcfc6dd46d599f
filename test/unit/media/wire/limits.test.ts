import assert from "node:assert/strict";
import { test } from "node:test";
import { ApprovalAnswer } from "../../../../agent-host/protocol/approval/approval.ts";
import { QuestionAnswer } from "../../../../agent-host/protocol/approval/question.ts";
import { MAX_ANSWER_CHARS, MAX_FOCUS_CHARS, MAX_NOTE_CHARS } from "../../../../agent-host/protocol/limits.ts";
import { threadCompact } from "../../../../agent-host/protocol/thread/compaction.ts";
import { MAX_TEXT_CHARS } from "../../../../extension/attach/lines.ts";
import { MAX_DROPPED_CHARS } from "../../../../media/wire/limits.ts";

test("the host accepts a note, an answer and a focus up to the page's limit, and no longer", () => {
	const takesAnswer = (length: number): boolean =>
		QuestionAnswer.safeParse({ choice: "answer", answers: { a: { chosen: [], text: "x".repeat(length) } } }).success;
	const takesNote = (length: number): boolean =>
		ApprovalAnswer.safeParse({ decision: "deny", note: "x".repeat(length) }).success;
	const takesFocus = (length: number): boolean =>
		threadCompact.params.safeParse({ threadId: "t".repeat(26), focus: "x".repeat(length) }).success;
	assert.deepEqual([takesAnswer(MAX_ANSWER_CHARS), takesAnswer(MAX_ANSWER_CHARS + 1)], [true, false]);
	assert.deepEqual([takesNote(MAX_NOTE_CHARS), takesNote(MAX_NOTE_CHARS + 1)], [true, false]);
	assert.deepEqual([takesFocus(MAX_FOCUS_CHARS), takesFocus(MAX_FOCUS_CHARS + 1)], [true, false]);
});

test("dropped text always fits into one chip, so it is never cut", () => {
	assert.ok(MAX_DROPPED_CHARS <= MAX_TEXT_CHARS);
});
