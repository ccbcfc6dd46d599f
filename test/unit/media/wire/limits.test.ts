import assert from "node:assert/strict";
import { test } from "node:test";
import { ApprovalAnswer } from "../../../../agent-host/protocol/approval/approval.ts";
import { threadCompact } from "../../../../agent-host/protocol/thread/compaction.ts";
import * as image from "../../../../agent-host/protocol/thread/image.ts";
import { MAX_INPUT_CHARS } from "../../../../agent-host/protocol/thread/turn.ts";
import { MAX_TEXT_CHARS } from "../../../../extension/attach/lines.ts";
import * as limits from "../../../../media/wire/limits.ts";

test("the page and the host agree on the longest prompt and on how many images of which size go with it", () => {
	assert.deepEqual(
		[limits.MAX_PROMPT_CHARS, limits.MAX_IMAGES, limits.MAX_IMAGE_BYTES, limits.MAX_IMAGES_BYTES],
		[MAX_INPUT_CHARS, image.MAX_IMAGES, image.MAX_IMAGE_BYTES, image.MAX_IMAGES_BYTES],
	);
});

test("the host takes a note and a focus as long as the page lets them be, and no longer", () => {
	const takesNote = (length: number): boolean =>
		ApprovalAnswer.safeParse({ decision: "deny", note: "x".repeat(length) }).success;
	const takesFocus = (length: number): boolean =>
		threadCompact.params.safeParse({ threadId: "t".repeat(26), focus: "x".repeat(length) }).success;
	const { MAX_FOCUS_CHARS, MAX_NOTE_CHARS } = limits;
	assert.deepEqual([takesNote(MAX_NOTE_CHARS), takesNote(MAX_NOTE_CHARS + 1)], [true, false]);
	assert.deepEqual([takesFocus(MAX_FOCUS_CHARS), takesFocus(MAX_FOCUS_CHARS + 1)], [true, false]);
});

test("a text that is dropped fits into what one chip may send, so it is never cut", () => {
	assert.ok(limits.MAX_DROPPED_CHARS <= MAX_TEXT_CHARS);
});
