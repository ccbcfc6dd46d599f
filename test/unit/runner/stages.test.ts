import assert from "node:assert/strict";
import { test } from "node:test";
import type { Crew } from "../../runner/crew.ts";
import type { RunOptions } from "../../runner/options.ts";
import { planRun } from "../../runner/plan.ts";
import { findTests, STAGES } from "../../runner/stages.ts";

const CREW: Crew = {
	meter: { secondsOf: () => undefined, stop: () => {} },
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

test("a named file runs only in its own stage; its run as on Windows belongs to that stage", () => {
	const planned = (stages: readonly string[], files: readonly string[]) =>
		planRun({ stages, files, extent: "short" }, CREW).map(({ name, stage }) => [name, stage]);
	const file = "test/host/lifecycle.test.ts";
	assert.deepEqual(planned([], [file]).slice(-1), [[file, "host"]]);
	assert.ok(planned(["windows"], []).some(([name]) => name === `${file} as on Windows`));
	assert.ok(!planned([], [file]).some(([, stage]) => stage?.startsWith("windows")));
});

test("every pattern of a stage matches files, and those run later or as an ordinary user belong to the stage", () => {
	for (const { name, files, rest = [], ordinary = [], both = [] } of STAGES) {
		const own = findTests(files);
		const theirs = [...rest, ...ordinary, ...both];
		for (const pattern of [...files, ...theirs]) assert.ok(findTests([pattern]).length > 0, `${name}: ${pattern}`);
		for (const file of findTests(theirs)) assert.ok(own.includes(file), `${name}: ${file}`);
	}
});

test("root runs most files as one user, a few as both, and all of a stage as both in a full run or by name", () => {
	const crew: Crew = { ...CREW, users: ["self", "ordinary"] };
	const usersOf = (file: string, options: Partial<RunOptions>, by = crew) =>
		planRun({ stages: ["sandbox"], files: [], extent: "short", ...options }, by)
			.filter(({ name }) => name.startsWith(`${file} `) || name === file)
			.map(({ stage }) => stage);
	const [self, ordinary] = ["sandbox", "sandbox as an ordinary user"];
	const [theirs, both, own] = ["commands", "cgroups", "planted"].map((name) => `test/sandbox/${name}.test.ts`);
	assert.deepEqual(usersOf(theirs ?? "", {}), [ordinary]);
	assert.deepEqual(usersOf(both ?? "", {}), [self, ordinary]);
	assert.deepEqual(usersOf(own ?? "", {}), [self]);
	for (const file of [theirs, both, own]) {
		assert.deepEqual(usersOf(file ?? "", { extent: "full" }), [self, ordinary]);
		assert.deepEqual(usersOf(file ?? "", {}, CREW), [self]);
	}
	assert.deepEqual(usersOf(theirs ?? "", { stages: [], files: [theirs ?? ""] }), [self, ordinary]);
});

test("a file of the full run is run when it is named, and not with its stage", () => {
	const file = "test/editor/pictures.full.ts";
	const isPlanned = (options: RunOptions) => planRun(options, CREW).some(({ name }) => name === file);
	assert.equal(isPlanned({ stages: [], files: [file], extent: "short" }), true);
	assert.equal(isPlanned({ stages: ["editor"], files: [], extent: "short" }), false);
	assert.equal(isPlanned({ stages: ["editor"], files: [], extent: "full" }), true);
});

test("npm test and the rest share no file, and together equal a run that names every stage", () => {
	const crew: Crew = { ...CREW, users: ["self", "ordinary"] };
	const namesOf = (options: Partial<RunOptions>) =>
		planRun({ stages: [], files: [], extent: "short", ...options }, crew).map(({ name }) => name);
	const testsOf = (names: readonly string[]) => names.filter((name) => name.startsWith("test/"));
	const [short, rest] = [testsOf(namesOf({})), testsOf(namesOf({ extent: "rest" }))];
	const all = testsOf(namesOf({ stages: STAGES.map(({ name }) => name) }));
	assert.ok(short.length > rest.length && rest.length > 0);
	assert.deepEqual([...short, ...rest].sort(), all.toSorted());
	assert.ok(namesOf({}).includes("types") && !namesOf({ extent: "rest" }).includes("types"));
});
