import assert from "node:assert/strict";
import { test } from "node:test";
import { createRestartPolicy, MAX_RESTARTS, WINDOW_MS } from "../../../../extension/host/restarts.ts";

test("a host that keeps ending is started again five times in three minutes, then no more", () => {
	let now = 0;
	const policy = createRestartPolicy(() => now);
	const tries = Array.from({ length: MAX_RESTARTS + 1 }, () => policy.mayRestart());
	assert.deepEqual(tries, [true, true, true, true, true, false]);
	now += WINDOW_MS;
	assert.equal(policy.mayRestart(), true);
});

test("a host that ends now and then is always started again", () => {
	let now = 0;
	const policy = createRestartPolicy(() => now);
	for (let round = 0; round < 50; round += 1) {
		now += WINDOW_MS / (MAX_RESTARTS - 1);
		assert.equal(policy.mayRestart(), true);
	}
});
