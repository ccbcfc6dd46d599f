import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseNext, type Ended, runTasks } from "../../runner/schedule.ts";
import type { Task, TaskReport } from "../../runner/task.ts";

const PASSED: TaskReport = { passed: 1, failures: [] };
const FAILED: TaskReport = { passed: 0, failures: [{ title: "it", problem: "broke" }] };

function aTask(name: string, changes: Partial<Task> = {}): Task {
	const run = async () => PASSED;
	return { name, stage: name, cores: 1, needs: [], most: Number.POSITIVE_INFINITY, run, ...changes };
}

function ended(task: Task, report = PASSED): Ended {
	return { task, report, seconds: 1 };
}

test("tasks are begun in their order while processors are free", () => {
	const [a, b, c] = [aTask("a"), aTask("b", { cores: 1.5 }), aTask("c", { cores: 0.5 })];
	assert.deepEqual(chooseNext([a, b, c], [], [], 2), { kind: "run", task: a });
	assert.deepEqual(chooseNext([b, c], [a], [], 2), { kind: "run", task: c });
	assert.equal(chooseNext([b], [a, c], [], 2), undefined);
});

test("a task that wants more processors than there are runs when nothing else does", () => {
	const large = aTask("large", { cores: 8 });
	assert.deepEqual(chooseNext([large], [], [], 2), { kind: "run", task: large });
	assert.equal(chooseNext([large], [aTask("a", { cores: 0.1 })], [], 2), undefined);
});

test("no more tasks of a stage run at a time than it allows", () => {
	const windows = ["1", "2", "3"].map((name) => aTask(name, { stage: "editor", most: 2, cores: 0.1 }));
	const other = aTask("other", { cores: 0.1 });
	assert.deepEqual(chooseNext([...windows.slice(2), other], windows.slice(0, 2), [], 2), { kind: "run", task: other });
});

test("a task waits for its prerequisites, but only for those in the run", () => {
	const [build, host] = [aTask("build"), aTask("host", { needs: ["build", "not part of this run"] })];
	assert.equal(chooseNext([host], [build], [], 2), undefined);
	assert.deepEqual(chooseNext([host], [], [ended(build)], 2), { kind: "run", task: host });
});

test("tasks that depend on a failed one count as failed, directly or indirectly", async () => {
	const tasks = [
		aTask("build", { run: async () => FAILED }),
		aTask("package", { needs: ["build"] }),
		aTask("editor", { needs: ["package"] }),
		aTask("style"),
	];
	const all = await runTasks(
		tasks,
		() => 1,
		() => undefined,
	);
	const problems = Object.fromEntries(all.map(({ task, report }) => [task.name, report.failures[0]?.problem]));
	assert.deepEqual(problems, {
		build: "broke",
		package: "Not run, because build failed.",
		editor: "Not run, because package failed.",
		style: undefined,
	});
});

test("a task that throws fails only itself", async () => {
	const crash = async () => Promise.reject(new Error("out of memory"));
	const all = await runTasks(
		[aTask("a", { run: crash }), aTask("b")],
		() => 1,
		() => undefined,
	);
	assert.deepEqual(
		all.map(({ task, report }) => [task.name, report.passed, report.failures.length]),
		[
			["a", 0, 1],
			["b", 1, 0],
		],
	);
});

test("tasks that need each other are refused instead of waited for", () => {
	const [a, b] = [aTask("a", { needs: ["b"] }), aTask("b", { needs: ["a"] })];
	assert.throws(() => chooseNext([a, b], [], [], 2), /wait for each other: a, b/);
});

test("a task starts as soon as the budget has room for it, even if none has ended", async () => {
	const second = Promise.withResolvers<void>();
	const waits = async () => {
		await second.promise;
		return PASSED;
	};
	const begins = async () => {
		second.resolve();
		return PASSED;
	};
	let asked = 0;
	const budget = () => {
		asked += 1;
		return asked > 2 ? 2 : 1;
	};
	const all = await runTasks([aTask("a", { run: waits }), aTask("b", { run: begins })], budget, () => undefined);
	assert.equal(all.length, 2);
});
