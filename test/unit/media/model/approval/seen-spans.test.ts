import assert from "node:assert/strict";
import { test } from "node:test";
import { addSpan, clipSpan, isCovered, type Span } from "../../../../../media/model/approval/seen-spans.ts";

function seen(...spans: readonly (readonly [number, number])[]): readonly Span[] {
	return spans.reduce<readonly Span[]>((before, [from, to]) => addSpan(before, { from, to }), []);
}

test("all lines are seen once the spans in view leave no gap, in any order", () => {
	assert.equal(isCovered(seen([0, 40], [40, 100]), 100), true);
	assert.equal(isCovered(seen([60, 100], [0, 30], [25, 61]), 100), true);
	assert.equal(isCovered(seen([0, 40], [60, 100]), 100), false);
	assert.equal(isCovered(seen([10, 100]), 100), false);
	assert.equal(isCovered(seen(), 100), false);
});

test("a clipped line was never in view", () => {
	assert.deepEqual(seen([50, 20]), []);
	assert.deepEqual(clipSpan({ from: 0, to: 50 }, { from: 20, to: 30 }), { from: 20, to: 30 });
});
