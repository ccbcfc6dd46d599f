import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listCompletions } from "../../../agent-host/surfaces/cli/command-words.ts";
import { COMMAND_OPTIONS, SURFACES } from "../../../docs/surface-entries.ts";
import { compareSurfaces, surfacesPage } from "../../../docs/surfaces.ts";
import { PROJECT } from "../../support/editor-paths.ts";

test("the page of the ways in names exactly what each of them has", () => {
	const nothing = { unknown: [], missing: [] };
	assert.deepEqual(compareSurfaces(), Object.fromEntries(SURFACES.map((surface) => [surface, nothing])));
});

test("docs/surfaces.md is generated from the code", () => {
	assert.equal(readFileSync(join(PROJECT, "docs/surfaces.md"), "utf8"), surfacesPage());
});

for (const [command, options] of Object.entries(COMMAND_OPTIONS)) {
	test(`the help of vitrine ${command} names every option that it reads, and no other`, () => {
		const words = listCompletions().find(({ name }) => name === command)?.words ?? [];
		const named = words.filter((word) => word.startsWith("--"));
		assert.deepEqual(
			named.toSorted(),
			Object.keys(options)
				.map((option) => `--${option}`)
				.toSorted(),
		);
	});
}
