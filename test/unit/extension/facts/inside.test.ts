import assert from "node:assert/strict";
import { test } from "node:test";
import { isInside } from "../../../../extension/facts/inside.ts";

test("only what lies below a folder is inside of it", () => {
	const paths = ["/app/a.ts", "/app", "/app/../etc/passwd", "/application/a.ts", "/etc/passwd", "/app/..a"];
	assert.deepEqual(
		paths.map((path) => isInside(path, "/app")),
		[true, false, false, false, false, true],
	);
});
