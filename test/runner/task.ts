import type { Wait } from "../support/waits.ts";
import type { Failure } from "./report.ts";

/** One thing that a run does: a check, a step of the set-up, or a test file. */
export interface Task {
	readonly name: string;
	/** What it is summed up under. */
	readonly stage: string;
	/** Processors it keeps busy on average: tests often wait. */
	readonly cores: number;
	/** Names of tasks that must have passed before. */
	readonly needs: readonly string[];
	/** How many tasks of its stage may run at a time. */
	readonly most: number;
	readonly run: () => Promise<TaskReport>;
}

export interface TaskReport {
	readonly passed: number;
	readonly failures: readonly Failure[];
	/** Processor time of the task and of all it started, where the platform tells. */
	readonly cpuSeconds?: number;
	readonly slowestWait?: Wait;
}
