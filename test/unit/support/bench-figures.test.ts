import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRatios } from "../../bench/figures.ts";

test("a run reports ratios beyond the tolerance, worst first, and nothing new, removed or faster", () => {
	const before = { a: { floor: 2, peer: 1 }, b: { floor: 4 }, c: { peer: 1 }, gone: { floor: 1 } };
	const now = { a: { floor: 3.2, peer: 1.4 }, b: { floor: 12 }, c: { peer: 0.2 }, fresh: { floor: 99 } };
	assert.deepEqual(compareRatios(before, now), ["b: 12.00 × the floor, was 4.00 ×", "a: 3.20 × the floor, was 2.00 ×"]);
	assert.deepEqual(compareRatios(now, now), []);
});
