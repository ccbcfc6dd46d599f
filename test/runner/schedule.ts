import { setTimeout as pause } from "node:timers/promises";
import type { Failure } from "./report.ts";
import type { Task, TaskReport } from "./task.ts";

export interface Ended {
	readonly task: Task;
	readonly report: TaskReport;
	readonly seconds: number;
}

/** Between two questions for the budget while nothing ends. */
const ASK_MS = 1_000;

/**
 * Runs tasks in their order, as many at a time as the budget of processors allows. What a task needs runs before it; if that
 * fails, the task counts as failed and says why.
 */
export async function runTasks(
	tasks: readonly Task[],
	budget: () => number,
	onEnd: (ended: Ended) => void,
): Promise<readonly Ended[]> {
	const all: Ended[] = [];
	const running = new Map<Task, Promise<void>>();
	let waiting = [...tasks];
	const end = (ended: Ended) => {
		all.push(ended);
		onEnd(ended);
	};
	const start = async (task: Task) => {
		const began = performance.now();
		const report = await task.run().catch(reportCrash);
		end({ task, report, seconds: (performance.now() - began) / 1_000 });
		running.delete(task);
	};
	while (waiting.length > 0 || running.size > 0) {
		const choice = chooseNext(waiting, [...running.keys()], all, budget());
		if (choice === undefined) await somethingChanges(running.values(), waiting.length > 0);
		else {
			waiting = waiting.filter((task) => task !== choice.task);
			if (choice.kind === "run") running.set(choice.task, start(choice.task));
			else end({ task: choice.task, report: { passed: 0, failures: [choice.why] }, seconds: 0 });
		}
	}
	return all;
}

/** Something ended, or the budget may be another one by now. */
async function somethingChanges(running: Iterable<Promise<void>>, isBudgetAwaited: boolean): Promise<void> {
	const asked = new AbortController();
	const pauses = isBudgetAwaited ? [pause(ASK_MS, undefined, { signal: asked.signal }).catch(() => undefined)] : [];
	await Promise.race([...running, ...pauses]);
	asked.abort();
}

export type Choice =
	| { readonly kind: "run"; readonly task: Task }
	| { readonly kind: "refuse"; readonly task: Task; readonly why: Failure };

/** What to do next, or undefined when that depends on how something ends that is running. */
export function chooseNext(
	waiting: readonly Task[],
	running: readonly Task[],
	ended: readonly Ended[],
	cores: number,
): Choice | undefined {
	const failed = new Set(ended.filter(({ report }) => report.failures.length > 0).map(({ task }) => task.name));
	const open = new Set([...waiting, ...running].map(({ name }) => name));
	const busy = running.reduce((sum, task) => sum + task.cores, 0);
	for (const task of waiting) {
		const broken = task.needs.find((need) => failed.has(need));
		if (broken !== undefined) {
			return { kind: "refuse", task, why: { title: task.name, problem: `Not run, because ${broken} failed.` } };
		}
		const isReady = task.needs.every((need) => !open.has(need));
		const hasPlace = running.filter(({ stage }) => stage === task.stage).length < task.most;
		if (isReady && hasPlace && (running.length === 0 || busy + task.cores <= cores)) return { kind: "run", task };
	}
	if (running.length > 0 || waiting.length === 0) return undefined;
	throw new Error(`These tasks wait for each other: ${waiting.map(({ name }) => name).join(", ")}.`);
}

function reportCrash(error: unknown): TaskReport {
	const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
	return { passed: 0, failures: [{ title: "could not be run", problem }] };
}
