import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const DIST = join(import.meta.dirname, "..", "..", "dist");

test("the extension's bundles never look at navigator, which the editor would log as an error", () => {
	const looking = ["extension.cjs", "language-client.cjs"].filter((file) =>
		/\bnavigator\b/.test(readFileSync(join(DIST, file), "utf8")),
	);
	assert.deepEqual(looking, []);
});
