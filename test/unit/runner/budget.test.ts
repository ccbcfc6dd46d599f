import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { adjust, createBudget } from "../../runner/budget.ts";

test("an idle machine is given more to do, step by step up to twice its processors, and a busy one less", () => {
	const idle = [2, 1.4, 0.4, 0.4, 0.4, 0.2, 0.05, 0, 0, 0, 0];
	let extra = 0;
	assert.deepEqual(
		idle.map((share) => {
			extra = adjust(extra, share, 2);
			return extra;
		}),
		[0.5, 1, 1.5, 2, 2, 2, 1.5, 1, 0.5, 0, 0],
	);
});

test("the machine's load is read once a second, and one that reports none gets the usual amount", () => {
	const usual = 1.5 * availableParallelism();
	let at = 0;
	let idleMs: number | undefined = 0;
	const budget = createBudget(
		() => at,
		() => idleMs,
	);
	[at, idleMs] = [900, 900];
	assert.equal(budget(), usual);
	[at, idleMs] = [1_000, 1_000];
	assert.equal(budget(), usual + 0.5);
	[at, idleMs] = [2_000, undefined];
	assert.equal(budget(), usual + 0.5);
	[at, idleMs] = [3_000, 1_000];
	assert.equal(budget(), usual + 0.5);
	[at, idleMs] = [4_000, 1_000];
	assert.equal(budget(), usual);
});
