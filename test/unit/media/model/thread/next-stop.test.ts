import assert from "node:assert/strict";
import { test } from "node:test";
import { findNextStop } from "../../../../../media/model/thread/next-stop.ts";
import { buildRows, NO_ROWS } from "../../../../../media/model/thread/rows.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { aTranscript } from "./a-transcript.ts";

test("code is found in answers not yet scrolled to, from above first and from below last", () => {
	const code = "```\na\n```\n\nand\n\n```\nb\n```";
	const thread = new AThread().turn().ask("one").answer(code).answer("none `x`").answer(code).end();
	const { rows } = buildRows(aTranscript(thread), NO_ROWS);
	assert.deepEqual(
		rows.map(({ type }) => type),
		["entry", "unsplit", "unsplit", "unsplit"],
	);
	const stop = (from: number, direction: "next" | "previous") => findNextStop(rows, from, { to: "code", direction });
	assert.deepEqual([stop(0, "next"), stop(1, "next"), stop(3, "next")], ["item-2.0", "item-4.0", undefined]);
	assert.deepEqual(
		[stop(4, "previous"), stop(3, "previous"), stop(1, "previous")],
		["item-4.2", "item-2.2", undefined],
	);
});
