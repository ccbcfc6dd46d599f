import assert from "node:assert/strict";
import { test } from "node:test";
import { aBarrier } from "../../support/barrier.ts";

test("those at a barrier go on together, with one value, when all others are there or have left", async () => {
	let passed = 0;
	const { arrive, leave } = aBarrier(3, async () => ++passed);
	const waiting = [arrive(), arrive()];
	assert.equal(passed, 0);
	leave();
	assert.deepEqual(await Promise.all(waiting), [1, 1]);
	assert.deepEqual(await Promise.all([arrive(), arrive()]), [2, 2]);
	leave();
	assert.equal(await arrive(), 3);
	leave();
	assert.equal(passed, 3);
});

test("whoever waits at a barrier hears that it could not be passed", async () => {
	const { arrive } = aBarrier(2, () => Promise.reject(new Error("closed")));
	for (const { status } of await Promise.allSettled([arrive(), arrive()])) assert.equal(status, "rejected");
});
