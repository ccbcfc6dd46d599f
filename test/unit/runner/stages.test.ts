import assert from "node:assert/strict";
import { test } from "node:test";
import type { Crew } from "../../runner/crew.ts";
import type { RunOptions } from "../../runner/options.ts";
import { planRun } from "../../runner/plan.ts";
import { findTests, STAGES } from "../../runner/stages.ts";

/** Run by hand, or by a workflow on the platform it is for. */
const NOT_HERE = "test/macos/";

test("every test file belongs to exactly one stage", () => {
	const stages = STAGES.map(({ files, full = [] }) => new Set(findTests([...files, ...full])));
	const files = findTests(["test/**/*.{test,full}.ts"]).filter((file) => !file.startsWith(NOT_HERE));
	assert.ok(files.length > 100);
	for (const file of files) {
		const homes = stages.filter((stage) => stage.has(file));
		assert.equal(homes.length, 1, `${file} is in ${homes.length} stages`);
	}
});

test("every pattern of a stage finds files, and an ordinary user runs files of that stage", () => {
	for (const { name, files, ordinary = [] } of STAGES) {
		const own = findTests(files);
		for (const pattern of [...files, ...ordinary]) assert.ok(findTests([pattern]).length > 0, `${name}: ${pattern}`);
		for (const file of findTests(ordinary)) assert.ok(own.includes(file), `${name}: ${file}`);
	}
});

test("a file of the full run is run when it is named, and not with its stage", () => {
	const file = "test/editor/pictures.full.ts";
	const crew: Crew = {
		users: ["self"],
		run: async () => ({ passed: 0, failures: [] }),
		dismiss: () => {},
		close: () => {},
	};
	const isPlanned = (options: RunOptions) => planRun(options, crew).some(({ name }) => name === file);
	assert.equal(isPlanned({ stages: [], files: [file], full: false }), true);
	assert.equal(isPlanned({ stages: ["editor"], files: [], full: false }), false);
	assert.equal(isPlanned({ stages: ["editor"], files: [], full: true }), true);
});
