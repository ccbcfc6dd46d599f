import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { within } from "../../support/fake-model-wait.ts";

test("what never comes is given up with its reason", async () => {
	const never = new Promise<never>(() => undefined);
	await assert.rejects(
		within(never, 10, () => "no reply"),
		/^Error: no reply \(not within 10 ms of a quiet machine\)$/,
	);
});

test("a limit that is met is one of a quiet machine: how slow this one is, is looked at before giving up", async () => {
	// Well after the limit, and well before Node can have started three times.
	assert.equal(await within(pause(25, "late"), 10, () => "no reply"), "late");
});

test("what fails in time fails as it does", async () => {
	await assert.rejects(
		within(Promise.reject(new Error("refused")), 10_000, () => "no reply"),
		/^Error: refused$/,
	);
});
