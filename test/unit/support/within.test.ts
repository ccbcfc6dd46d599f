import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { within } from "../../support/fake-model-wait.ts";

test("an operation that never ends is given up with its reason", async () => {
	const never = new Promise<never>(() => undefined);
	await assert.rejects(
		within(never, 10, () => "no reply"),
		/^Error: no reply \(not within 10 ms of a quiet machine\)$/,
	);
});

test("a time limit is scaled to the machine: its slowness is measured before giving up", async () => {
	// Well after the limit, and well before Node can have started three times.
	assert.equal(await within(pause(25, "late"), 10, () => "no reply"), "late");
});

test("a failure within the limit is passed on unchanged", async () => {
	await assert.rejects(
		within(Promise.reject(new Error("refused")), 10_000, () => "no reply"),
		/^Error: refused$/,
	);
});
