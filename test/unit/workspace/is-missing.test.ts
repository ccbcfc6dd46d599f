import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isMissing } from "../../../agent-host/workspace/files/is-missing.ts";

test("a path is missing only if nothing is there, not even a broken link", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-missing-"));
	t.after(() => rmSync(folder, { recursive: true }));
	mkdirSync(join(folder, "folder"));
	writeFileSync(join(folder, "file"), "");
	symlinkSync("nowhere", join(folder, "link"));
	const found = ["folder", "file", "link", "none", "none/below", "link/below"].filter((name) =>
		isMissing(join(folder, name)),
	);
	assert.deepEqual(found, ["none", "none/below", "link/below"]);
});

test("a path that cannot be looked at is not called missing, nor is one below a file", () => {
	assert.deepEqual([join("/", "x".repeat(5_000)), join(process.execPath, "below")].map(isMissing), [false, false]);
});
