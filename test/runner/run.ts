import { join } from "node:path";
import { PROJECT } from "../support/editor-paths.ts";
import { createBudget } from "./budget.ts";
import { createCrew } from "./crew.ts";
import type { RunOptions } from "./options.ts";
import { planRun } from "./plan.ts";
import { type Ended, runTasks } from "./schedule.ts";

const MINUTE = 60_000;

/** Runs what the options ask for. */
export async function run(options: RunOptions, onEnd: (ended: Ended) => void): Promise<readonly Ended[]> {
	const isFull = options.extent === "full";
	if (isFull) process.env.VITRINE_FULL = "1";
	// Types are stripped once, not once for each process.
	process.env.NODE_COMPILE_CACHE = join(PROJECT, "node_modules/.cache/vitrine-tests");
	// A file that keeps running after its tests would hold up everything.
	const crew = createCrew((isFull ? 60 : 10) * MINUTE);
	const tasks = planRun(options, crew);
	if (tasks.length === 0) throw new Error(`No test file holds "${options.title}". Name a file to look in as well.`);
	const left = new Map(
		Object.entries(Object.groupBy(tasks, ({ stage }) => stage)).map(([stage, own]) => [stage, own?.length ?? 0]),
	);
	try {
		return await runTasks(tasks, createBudget(), (ended) => {
			const { stage } = ended.task;
			left.set(stage, (left.get(stage) ?? 0) - 1);
			if (left.get(stage) === 0) crew.dismiss(stage);
			onEnd(ended);
		});
	} finally {
		crew.close();
	}
}
