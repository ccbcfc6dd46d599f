import assert from "node:assert/strict";
import { test } from "node:test";
import { findTests, STAGES } from "../../support/stages.ts";

/** Run by hand, or by a workflow on the platform it is for. */
const NOT_HERE = "test/macos/";

test("every test file belongs to exactly one stage", () => {
	const stages = STAGES.filter((stage) => stage.kind === "tests").map(
		({ together = [], alone = [], full = [] }) => new Set(findTests([...together, ...alone, ...full])),
	);
	const files = findTests(["test/**/*.{test,full}.ts"]).filter((file) => !file.startsWith(NOT_HERE));
	assert.ok(files.length > 100);
	for (const file of files) {
		const homes = stages.filter((stage) => stage.has(file));
		assert.equal(homes.length, 1, `${file} is in ${homes.length} stages`);
	}
});
