import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { visitEntries } from "../../../agent-host/workspace/files/visit-entries.ts";

/** Turns that others get while a folder with so many files is visited. */
async function turnsDuring(files: number): Promise<{ readonly visited: number; readonly turns: number }> {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-visit-"));
	for (let index = 0; index < files; index += 1) writeFileSync(join(folder, `a file with a longer name ${index}`), "");
	let [visited, turns, isOver] = [0, 0, false];
	const take = (): void => {
		turns += 1;
		if (!isOver) setImmediate(take);
	};
	setImmediate(take);
	await visitEntries(folder, () => {
		visited += 1;
	});
	isOver = true;
	rmSync(folder, { recursive: true });
	return { visited, turns };
}

test("a small folder is visited at once, and a large one in pieces that let others run in between", async () => {
	assert.deepEqual(await turnsDuring(20), { visited: 20, turns: 0 });
	const { visited, turns } = await turnsDuring(5_000);
	assert.equal(visited, 5_000);
	assert.ok(turns >= 5, `only ${turns} turns`);
});

test("a path that is not a folder has no entries", async () => {
	await visitEntries("/nonexistent/folder", () => assert.fail());
	await visitEntries(import.meta.filename, () => assert.fail());
});
