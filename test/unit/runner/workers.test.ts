import assert from "node:assert/strict";
import { test } from "node:test";
import { createCpuMeter } from "../../runner/cpu.ts";
import { describeEnded } from "../../runner/report.ts";
import { startWorker } from "../../runner/start-worker.ts";
import type { TaskReport } from "../../runner/task.ts";
import { createWorkers } from "../../runner/workers.ts";

const FILES = "test/fixtures/test-files";

test("every file is run and counted, whatever the one before it in the same process did", async () => {
	const reports = await runFixtures(["ends-process", "fails", "throws-late", "changes-environment", "passes"]);
	assert.deepEqual(
		reports.map(({ passed, failures }) => [passed, failures.length]),
		[
			[0, 1],
			[1, 1],
			[1, 1],
			[1, 1],
			[2, 0],
		],
	);
	assert.deepEqual(reports.map(firstLine), [
		"✖ FILES/ends-process.ts ended its process (7)",
		"✖ FILES/fails.ts:5 does not hold",
		"✖ FILES/throws-late.ts failed outside its tests",
		"✖ FILES/changes-environment.ts left its environment changed",
		"✔ FILES/passes.ts",
	]);
	assert.match(reports[0]?.failures[0]?.problem ?? "", /^The last test to begin: the last words$/);
	assert.match(reports[2]?.failures[0]?.problem ?? "", /too late for its test/);
});

test("a file that never ends is stopped and named", async () => {
	const reports = await runFixtures(["never-ends"], { fileMs: 500 });
	assert.deepEqual(reports.map(firstLine), ["✖ FILES/never-ends.ts was stopped after 0.5 s"]);
});

test("a part of a title chooses the tests that run", async () => {
	const [report] = await runFixtures(["fails"], { title: "does NOT" });
	assert.deepEqual([report?.passed, report?.failures.length], [0, 1]);
	const [other] = await runFixtures(["fails"], { title: "^holds" });
	assert.deepEqual([other?.passed, other?.failures.length], [0, 0]);
});

interface Habits {
	readonly fileMs?: number;
	readonly title?: string;
}

async function runFixtures(
	names: readonly string[],
	{ fileMs = 60_000, title }: Habits = {},
): Promise<readonly (TaskReport & { readonly name: string })[]> {
	const meter = createCpuMeter();
	const workers = createWorkers(startWorker, fileMs, meter);
	const reports = [];
	for (const name of names) {
		const order = { file: `${FILES}/${name}.ts`, ...(title !== undefined && { title }) };
		reports.push({ ...(await workers.run(order)), name });
	}
	workers.close();
	meter.stop();
	return reports;
}

function firstLine(report: TaskReport & { readonly name: string }): string {
	const task = { name: `${FILES}/${report.name}.ts`, stage: "", cores: 1, needs: [], most: 1, run: async () => report };
	const [line = ""] = describeEnded({ task, report, seconds: 0 }).split("\n");
	return line.replace(FILES, "FILES").replace(/ \(0\.0 s.*/, "");
}
