import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { mountSmallDisk } from "../../support/small-disk.ts";

test("a small disk fills up, has room once it grows, and disappears with its files, for any user", async (t) => {
	const root = mkdtempSync(join(tmpdir(), "vitrine-disk-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const folder = join(root, "threads");
	const disk = await mountSmallDisk(folder, 128);
	const much = "x".repeat(200_000);
	assert.throws(() => writeFileSync(join(folder, "much"), much), { code: "ENOSPC" });
	await disk.grow(1_024);
	writeFileSync(join(folder, "much"), much);
	assert.equal(readFileSync(join(folder, "much"), "utf8"), much);
	await disk.unmount();
	assert.throws(() => readFileSync(join(folder, "much")), { code: "ENOENT" });
});
