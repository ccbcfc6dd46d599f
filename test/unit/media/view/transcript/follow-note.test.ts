import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRows, NO_ROWS } from "../../../../../media/model/thread/rows.ts";
import { findNote } from "../../../../../media/view/transcript/follow-note.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { aTranscript } from "../../model/thread/a-transcript.ts";

const NOTES = "[^1]: First.\n[^b-2]: Second.";

test("a note is found in its own answer only, and not in code that looks like it", () => {
	const answer = ["Once[^1] and again[^1], and `[^b-2]`.", "```\n[^1]: no\n```", "Other[^b-2].", NOTES].join("\n\n");
	const thread = new AThread().turn().answer(NOTES).answer(answer).answer(NOTES).end();
	const { rows } = buildRows(aTranscript(thread), NO_ROWS);
	const find = (end: "mark" | "note", name: string) => findNote(rows, "item-2.0", end, name)?.key;
	assert.deepEqual([find("note", "1"), find("note", "b-2"), find("note", "3")], ["item-2.3", "item-2.3", undefined]);
	assert.deepEqual([find("mark", "1"), find("mark", "b-2")], ["item-2.0", "item-2.2"]);
});
