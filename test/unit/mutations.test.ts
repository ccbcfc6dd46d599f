import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MUTATIONS } from "../mutations/catalog.ts";
import { weaken } from "../mutations/mutation.ts";
import { isSurvivor, readPage, readPageFile } from "../mutations/publish.ts";
import { PROJECT } from "../support/editor-paths.ts";

const ALL = Object.values(MUTATIONS).flat();

test("the text that each mutation replaces is in its file exactly once, and its tests are there", () => {
	for (const mutation of ALL) {
		const weakened = weaken(mutation, (file) => readFileSync(join(PROJECT, file), "utf8"));
		assert.ok(mutation.find !== mutation.replace && weakened.length > 0, mutation.protection);
		assert.ok(mutation.tests.length > 0, mutation.protection);
		for (const file of mutation.tests) assert.ok(existsSync(join(PROJECT, file)), `${mutation.protection}: ${file}`);
	}
	assert.equal(new Set(ALL.map(({ protection }) => protection)).size, ALL.length, "each has a name of its own");
});

test("docs/mutations.md names only protections that are tried, and each of them was noticed", () => {
	const rows = readPage(readPageFile());
	const names = new Set(ALL.map(({ protection }) => protection));
	assert.deepEqual(
		[...rows.keys()].filter((name) => !names.has(name)),
		[],
	);
	assert.deepEqual([...rows.values()].filter(isSurvivor), []);
});
