import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "../../support/apply-patch.ts";
import { patchScenarios, showTree } from "../../support/patch-scenarios.ts";

test("there are 25 scenarios", () => assert.equal(patchScenarios().length, 25));

for (const { name, patch, input, expected } of patchScenarios()) {
	test(`${name}: the pure function gives the expected tree`, () => {
		const outcome = applyPatch(input, patch);
		assert.deepEqual(showTree(outcome.ok ? outcome.after : input), showTree(expected));
		const isRefused = name.includes("rejects") || /^(?:009|012|015)_/.test(name);
		assert.equal(outcome.ok, !isRefused, outcome.ok ? "applied" : outcome.reason);
	});
}
