import assert from "node:assert/strict";
import { test } from "node:test";
import type { Crew } from "../../runner/crew.ts";
import type { RunOptions } from "../../runner/options.ts";
import { planRun } from "../../runner/plan.ts";
import { findTests, STAGES } from "../../runner/stages.ts";

const CREW: Crew = {
	users: ["self"],
	run: async () => ({ passed: 0, failures: [] }),
	dismiss: () => {},
	close: () => {},
};

/** Run by hand, or by a workflow on the platform it is for. */
const NOT_HERE = ["test/macos/", "test/windows/"];

test("every test file belongs to exactly one stage", () => {
	const own = STAGES.filter(({ asWindows }) => asWindows !== true);
	const stages = own.map(({ files, full = [] }) => new Set(findTests([...files, ...full])));
	const files = findTests(["test/**/*.{test,full}.ts"]).filter(
		(file) => !NOT_HERE.some((folder) => file.startsWith(folder)),
	);
	assert.ok(files.length > 100);
	for (const file of files) {
		const homes = stages.filter((stage) => stage.has(file));
		assert.equal(homes.length, 1, `${file} is in ${homes.length} stages`);
	}
});

test("a file that is named runs in its own stage only, and again as on Windows with that stage", () => {
	const planned = (stages: readonly string[], files: readonly string[]) =>
		planRun({ stages, files, full: false }, CREW).map(({ name, stage }) => [name, stage]);
	const file = "test/host/lifecycle.test.ts";
	assert.deepEqual(planned([], [file]).slice(-1), [[file, "host"]]);
	assert.ok(planned(["windows"], []).some(([name]) => name === `${file} as on Windows`));
	assert.ok(!planned([], [file]).some(([, stage]) => stage?.startsWith("windows")));
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
	const isPlanned = (options: RunOptions) => planRun(options, CREW).some(({ name }) => name === file);
	assert.equal(isPlanned({ stages: [], files: [file], full: false }), true);
	assert.equal(isPlanned({ stages: ["editor"], files: [], full: false }), false);
	assert.equal(isPlanned({ stages: ["editor"], files: [], full: true }), true);
});
