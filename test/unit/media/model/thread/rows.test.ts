import assert from "node:assert/strict";
import { test } from "node:test";

import { buildRows, expandRow, NO_ROWS, type Row } from "../../../../../media/model/thread/rows.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { aTranscript, reduceTranscript } from "./a-transcript.ts";

function keysOf(rows: readonly Row[]): string[] {
	return rows.map(({ key, type }) => `${key} ${type}`);
}

test("an answer not yet scrolled to is one row, and afterwards one row per block", () => {
	const transcript = aTranscript(new AThread().turn().ask("Question").answer("One.\n\n- two\n- two\n\nThree."));
	const [, unsplit] = buildRows(transcript, NO_ROWS).rows;
	assert.equal(unsplit?.type, "unsplit");
	const expanded = unsplit?.type === "unsplit" ? expandRow(unsplit) : [];
	assert.deepEqual(keysOf(expanded), ["item-2.0 block", "item-2.1 block", "item-2.2 block"]);
	assert.deepEqual(keysOf(buildRows(transcript, NO_ROWS).rows), ["item-1 entry", ...keysOf(expanded)]);
});

test("rows stay the same objects while text arrives, except the growing block", () => {
	const thread = new AThread().turn().ask("Question").begin({ kind: "agentMessage", id: "m", text: "" });
	const transcript = reduceTranscript(aTranscript(thread), thread.delta("m", 0, "One.\n\nTwo"));
	const before = buildRows(transcript, NO_ROWS);
	const after = buildRows(reduceTranscript(transcript, thread.delta("m", 9, " grows")), before);
	assert.deepEqual(
		after.rows.map((row, index) => [row.key, row === before.rows[index]]),
		[
			["item-1", true],
			["m.0", true],
			["m.1", false],
		],
	);
});

test("the end of an answer changes only its last rows", () => {
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	const text = "One.\n\nTwo.\n\n- list";
	const transcript = reduceTranscript(aTranscript(thread), thread.delta("m", 0, text));
	const before = buildRows(transcript, NO_ROWS);
	const whole = thread.item({ kind: "agentMessage", id: "m", text }).events.slice(-1);
	const after = buildRows(whole.reduce(reduceTranscript, transcript), before);
	assert.deepEqual(
		after.rows.map((row, index) => [row.key, row === before.rows[index]]),
		[
			["m.0", true],
			["m.1", true],
			["m.2", false],
		],
	);
});

test("a definition that arrives late draws the rows that may use it again", () => {
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	const transcript = reduceTranscript(aTranscript(thread), thread.delta("m", 0, "See [docs].\n\nTwo.\n\n"));
	const before = buildRows(transcript, NO_ROWS);
	const defined = reduceTranscript(transcript, thread.delta("m", 19, "[docs]: https://a.b\n"));
	const [first] = buildRows(defined, before).rows;
	assert.deepEqual(first?.type === "block" && first.references, { DOCS: { href: "https://a.b", title: "" } });
});

test("an answer that was cut off says so in a row of its own", () => {
	const thread = new AThread().turn().item({ kind: "agentMessage", id: "m", text: "Half", cut: true });
	const [unsplit] = buildRows(aTranscript(thread), NO_ROWS).rows;
	assert.deepEqual(keysOf(unsplit?.type === "unsplit" ? expandRow(unsplit) : []), ["m.0 block", "m.cut entry"]);
});
