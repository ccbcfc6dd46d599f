import assert from "node:assert/strict";
import { test } from "node:test";
import { runInWorkers } from "../../support/workers.ts";

test("every file is run and counted, whatever the one before it in the same process did", async () => {
	const { counts, lines } = await runFixtures(["ends-process", "fails", "throws-late", "passes"]);
	assert.deepEqual(counts, { passed: 4, failed: 3 });
	assert.deepEqual(
		lines.map((line) => line.replace(/ \(\d+\.\d s\)$/, " (time)").split("\n", 1)[0]),
		[
			"✖ FILES/ends-process.ts ended its process (7); the last test to begin: the last words",
			"✖ FILES/fails.ts:5 does not hold",
			'Error: Test "has ended by then" at FILES/throws-late.ts:3:1 generated asynchronous activity after the test ended. This activity created the error "Error: too late for its test" and would have caused the test to fail, but instead triggered an uncaughtException event.',
			"✖ FILES/throws-late.ts failed outside its tests",
			"✔ FILES/passes.ts (time)",
		],
	);
});

test("a file that does not come to its end is stopped and named", async () => {
	const { counts, lines } = await runFixtures(["never-ends"], 500);
	assert.deepEqual(counts, { passed: 0, failed: 1 });
	assert.match(lines.join("\n"), /^✖ FILES\/never-ends\.ts was stopped after 0\.5 s; the last test to begin: /);
});

async function runFixtures(names: readonly string[], fileMs = 60_000) {
	const lines: string[] = [];
	const files = names.map((name) => `test/fixtures/test-files/${name}.ts`);
	const counts = await runInWorkers({ files, workers: 1, filesEach: 10, fileMs }, (line) =>
		lines.push(line.replace("test/fixtures/test-files", "FILES")),
	);
	return { counts, lines };
}
