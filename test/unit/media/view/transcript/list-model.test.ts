import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { buildRows, NO_ROWS, type Row } from "../../../../../media/model/thread/rows.ts";
import { ListModel } from "../../../../../media/view/transcript/list/list-model.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { aTranscript } from "../../model/thread/a-transcript.ts";

/** So many rows of an assumed height of 44 pixels each. */
function aList(count: number): ListModel {
	const thread = new AThread().turn();
	for (let index = 0; index < count; index++) thread.ask(`Question ${index}`);
	const model = new ListModel();
	model.setRows(buildRows(aTranscript(thread), NO_ROWS).rows);
	return model;
}

function offsetsOf(model: ListModel): number[] {
	return [...model.rows.keys(), model.rows.length].map((index) => model.offsetAt(index));
}

/** The plain way to the same sums. */
function sum(rows: readonly Row[], heights: ReadonlyMap<string, number>): number[] {
	const offsets = [0];
	for (const { key, estimate } of rows) offsets.push((offsets.at(-1) ?? 0) + (heights.get(key) ?? estimate));
	return offsets;
}

test("offsets are the sums of the heights after any order of measurements and changes", () => {
	const all = aList(30).rows;
	const change = fc.oneof(
		fc.record({ row: fc.nat(29), height: fc.integer({ min: 0, max: 900 }) }),
		fc.record({ from: fc.nat(15), count: fc.nat(15) }),
	);
	fc.assert(
		fc.property(fc.array(change), (changes) => {
			const model = new ListModel();
			const heights = new Map<string, number>();
			let rows: readonly Row[] = all;
			model.setRows(rows);
			for (const next of changes) {
				if ("row" in next) {
					const { key = "" } = all[next.row] ?? {};
					heights.set(key, next.height);
					model.setHeight(key, next.height);
				} else {
					rows = all.slice(next.from, next.from + next.count);
					model.setRows(rows);
				}
				assert.deepEqual(offsetsOf(model), sum(rows, heights));
				assert.deepEqual(
					rows.map(({ key }) => model.indexOf(key)),
					[...rows.keys()],
				);
			}
		}),
	);
});

test("the anchor is the row at a height and where that row begins", () => {
	const model = aList(10);
	model.setHeight("item-2", 100);
	assert.deepEqual(
		[0, 43, 44, 143, 144, 10_000, -5].map((y) => model.anchorAt(y)),
		[
			{ key: "item-1", top: 0 },
			{ key: "item-1", top: -43 },
			{ key: "item-2", top: 0 },
			{ key: "item-2", top: -99 },
			{ key: "item-3", top: 0 },
			{ key: "item-10", top: 9 * 44 + 56 - 10_000 },
			{ key: "item-1", top: 5 },
		],
	);
});

test("the rows around an anchor are those that cover the requested pixels", () => {
	const model = aList(100);
	const anchor = { key: "item-51", top: 0 };
	assert.deepEqual(model.rangeAround(anchor, 88, 88), { first: 48, end: 53 });
	assert.deepEqual(model.rangeAround({ ...anchor, top: -10 }, 88, 88), { first: 48, end: 53 });
	assert.deepEqual(model.rangeAround(anchor, 1_000_000, 1_000_000), { first: 0, end: 100 });
	assert.deepEqual(model.rangeAtEnd(88), { first: 98, end: 100 });
});

test("answers are split where the reader looks and nowhere else", () => {
	const thread = new AThread().turn();
	for (let index = 0; index < 100; index++) thread.answer("One.\n\nTwo.\n\nThree.");
	const model = new ListModel();
	model.setRows(buildRows(aTranscript(thread), NO_ROWS).rows);
	const { first, end } = model.rangeAtEnd(300);
	assert.ok(end > first);
	assert.ok(model.rows.slice(first, end).every(({ type }) => type === "block"));
	assert.ok(model.rows.slice(0, 80).every(({ type }) => type === "unsplit"));
	assert.equal(model.anchorAt(0)?.key, "item-1.0");
	const start = model.rangeAround({ key: "item-1.0", top: 0 }, 0, 300);
	assert.ok(start.end > start.first);
	assert.ok(model.rows.slice(start.first, start.end).every(({ type }) => type === "block"));
});
