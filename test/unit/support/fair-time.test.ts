import assert from "node:assert/strict";
import { test } from "node:test";
import { inFairTime, settlesInFairTime } from "../../support/fair-time.ts";

test("a condition that holds, or comes to hold while Node starts, is waited for", async () => {
	await inFairTime(
		() => true,
		0,
		() => "never",
	);
	const due = performance.now() + 60;
	await inFairTime(
		() => performance.now() > due,
		200,
		() => "late",
	);
});

test("a condition that never holds fails with what was seen, but only after Node could have started as often", async () => {
	let looks = 0;
	const holds = () => {
		looks += 1;
		return false;
	};
	const start = performance.now();
	await assert.rejects(
		inFairTime(holds, 80, () => `${looks > 2 ? "many" : "few"} looks`),
		/^Error: many looks \(not within 80 ms/,
	);
	assert.ok(performance.now() - start >= 20);
});

test("a result is passed on as it is, even a failure", async () => {
	assert.equal(await settlesInFairTime(Promise.resolve(7), 40, String), 7);
	await assert.rejects(settlesInFairTime(Promise.reject(new Error("so")), 40, String), /^Error: so$/);
});
