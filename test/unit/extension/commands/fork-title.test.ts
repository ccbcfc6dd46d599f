import assert from "node:assert/strict";
import { test } from "node:test";
import { titleFork } from "../../../../extension/commands/threads/fork-title.ts";

test("a fork has a title that no other thread has", () => {
	assert.equal(titleFork("Fix it", ["Fix it"]), "Fix it (fork)");
	assert.equal(titleFork("Fix it", ["Fix it", "Fix it (fork)", "Fix it (fork 2)"]), "Fix it (fork 3)");
});
