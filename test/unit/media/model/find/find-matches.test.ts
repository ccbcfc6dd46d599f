import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { buildPattern, findMatches } from "../../../../../media/model/find/find-matches.ts";
import { foldEvents } from "../../../../../media/model/thread/fold-events.ts";
import { buildRows, NO_ROWS, type Row } from "../../../../../media/model/thread/rows.ts";
import { emptyTranscript } from "../../../../../media/model/thread/transcript.ts";
import { AThread } from "../../../../page/a-thread.ts";

function rowsOf(thread: AThread): readonly Row[] {
	return buildRows(foldEvents(emptyTranscript(""), thread.events), NO_ROWS).rows;
}

test("words are found in every block of an answer not yet scrolled to, and in folded entries", () => {
	const thread = new AThread().turn().ask("where is the Needle?");
	const call = { kind: "toolCall", callId: "c", name: "read_file", title: "Read a.ts", status: "completed" } as const;
	thread.item({ ...call, arguments: "{}", output: "a needle" }).answer("hay\n\nneedle and NEEDLE\n\nhay");
	assert.deepEqual(findMatches(rowsOf(thread.end()), "needle"), [
		{ row: "item-1", nth: 0, fold: "item-1" },
		{ row: "item-2", nth: 0, fold: "item-2" },
		{ row: "item-3.1", nth: 0, fold: undefined },
		{ row: "item-3.1", nth: 1, fold: undefined },
	]);
});

test("a search is literal, and spaces alone find nothing", () => {
	fc.assert(
		fc.property(fc.string({ minLength: 1 }), (query) => {
			const pattern = buildPattern(query);
			assert.equal(pattern === undefined, query.trim() === "");
			const found = pattern === undefined ? [] : [...`<${query}>`.matchAll(pattern)].map(([text]) => text);
			assert.equal(found.includes(query), pattern !== undefined);
		}),
	);
});

test("only the new part of a growing thread is searched again", () => {
	const thread = new AThread().turn().ask("a").answer("needle").end();
	const rows = rowsOf(thread);
	assert.equal(findMatches(rows, "needle")[0], findMatches([...rows], "needle")[0]);
});
