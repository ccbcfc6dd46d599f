import assert from "node:assert/strict";
import { test } from "node:test";
import { aBarrier } from "../../support/barrier.ts";

test("all at a barrier continue together, with one value, once all others have arrived or left", async () => {
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

test("waiting at a barrier fails if it can no longer be passed", async () => {
	const { arrive } = aBarrier(2, () => Promise.reject(new Error("closed")));
	for (const { status } of await Promise.allSettled([arrive(), arrive()])) assert.equal(status, "rejected");
});
