import type { Ended } from "./schedule.ts";

/** A test that failed. */
export interface Failure {
	readonly title: string;
	/** File and line, unless the title says where it is. */
	readonly place?: string;
	readonly problem: string;
}

const MAX_PROBLEM_LINES = 80;

/** A line for what ended, or one for each test that failed in it; the rest of what they say comes at the end. */
export function describeEnded({ task, report, seconds }: Ended): string {
	const time = [`${seconds.toFixed(1)} s`, ...cpuWords(report.cpuSeconds)].join(", ");
	if (report.failures.length === 0) return `✔ ${task.name} (${time})`;
	return report.failures.map(({ title, place = task.name }) => `✖ ${place} ${title}`.trimEnd()).join("\n");
}

/** What a reader of a long log needs: figures for each stage, and every failure once more. */
export function sumUp(all: readonly Ended[], seconds: number): string {
	const failures = all.flatMap(describeFailures);
	return [
		...stageLines(all),
		...(failures.length === 0 ? [] : ["", "Failed:", ...failures]),
		"",
		`In ${minutes(seconds)}, with ${minutes(cpuOf(all))} of processor.`,
	].join("\n");
}

export function countWords(all: readonly Ended[]): string {
	return `${passedOf(all)} passed, ${failedOf(all)} failed`;
}

export function failedOf(all: readonly Ended[]): number {
	return all.reduce((sum, { report }) => sum + report.failures.length, 0);
}

function passedOf(all: readonly Ended[]): number {
	return all.reduce((sum, { report }) => sum + report.passed, 0);
}

function cpuOf(all: readonly Ended[]): number {
	return all.reduce((sum, { report }) => sum + (report.cpuSeconds ?? 0), 0);
}

function minutes(seconds: number): string {
	return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

function stageLines(all: readonly Ended[]): readonly string[] {
	const stages = [...new Set(all.map(({ task }) => task.stage))];
	return stages.map((stage) => {
		const mine = all.filter(({ task }) => task.stage === stage);
		const wall = mine.reduce((sum, { seconds }) => sum + seconds, 0);
		const counts = `${String(passedOf(mine)).padStart(5)} passed, ${failedOf(mine)} failed`;
		return `${stage.padEnd(22)}${counts}${`${wall.toFixed(0)} s`.padStart(8)} in all, ${cpuOf(mine).toFixed(0)} s of processor`;
	});
}

export function describeFailures({ task, report }: Ended): readonly string[] {
	return report.failures.map((failure) => describeFailure(task.name, failure));
}

function describeFailure(task: string, { title, place = task, problem }: Failure): string {
	const lines = problem.split("\n");
	const shown = lines.slice(0, MAX_PROBLEM_LINES);
	const rest = lines.length > shown.length ? [`… ${lines.length - shown.length} more lines`] : [];
	return [`✖ ${place} ${title}`.trimEnd(), ...[...shown, ...rest].map((line) => `    ${line}`)].join("\n");
}

function cpuWords(seconds: number | undefined): readonly string[] {
	return seconds === undefined ? [] : [`${seconds.toFixed(1)} s of processor`];
}
