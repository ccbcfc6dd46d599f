import assert from "node:assert/strict";
import { test } from "node:test";
import { GUARD_MS, PressGuard } from "../../../../../media/model/approval/press-guard.ts";

test("a press counts from 300 ms after the question was painted, measured by the event's own time", () => {
	const guard = new PressGuard();
	assert.equal(guard.press(5), false, "not painted yet");
	guard.arm(1_000, GUARD_MS);
	assert.equal(guard.press(1_000 + GUARD_MS - 1), false);
	assert.equal(guard.click(1_000 + GUARD_MS + 50), false, "its press was too early");
	assert.equal(guard.press(1_000 + GUARD_MS), true);
	assert.equal(guard.click(1_000 + GUARD_MS), true);
	guard.arm(2_000, GUARD_MS);
	assert.equal(guard.click(2_100), false, "it has moved since");
});
