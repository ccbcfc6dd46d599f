import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSteadiness } from "../../runner/steadiness.ts";
import type { TaskReport } from "../../runner/task.ts";

function aRun(name: string, seconds: number, report: Partial<TaskReport> = {}) {
	const whole = { passed: 1, failures: [], ...report };
	return {
		task: { name, stage: "host", cores: 1, needs: [], most: 1, run: async () => whole },
		report: whole,
		seconds,
	};
}

test("each file has a row with its runs, its failures, its slowest run and its longest wait", () => {
	const table = describeSteadiness([
		aRun("b", 1, { slowestWait: { what: "a reply", ms: 300 } }),
		aRun("a", 2),
		aRun("b", 4, { failures: [{ title: "t", problem: "p" }], slowestWait: { what: "a|b", ms: 1_250 } }),
	]);
	assert.deepEqual(table.split("\n").slice(2), [
		"| a | 1 | 0 | 2.0 s | – |",
		"| b | 2 | 1 | 4.0 s | 1.3 s: a\\|b |",
		"",
		"3 runs of 2 files, 1 failed.",
	]);
});
