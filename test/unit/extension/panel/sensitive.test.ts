import assert from "node:assert/strict";
import { test } from "node:test";
import { PROTECTED_NAMES } from "../../../../agent-host/permissions/policy/protected-names.ts";
import { isSensitive } from "../../../../extension/panel/open/sensitive.ts";

test("every protected name is recognized in a path, however it is written", () => {
	for (const name of PROTECTED_NAMES) {
		const plain = name.replaceAll("*", "x");
		for (const path of [plain, `a/b/${plain}/c.json`, plain.toUpperCase(), `${plain[0]}\u200D${plain.slice(1)}`])
			assert.equal(isSensitive(path), true, path);
	}
	for (const path of ["src/a.ts", "./src/../b.ts", "docs/agents-of-change.txt", "a..b/c"])
		assert.equal(isSensitive(path), false, path);
});
