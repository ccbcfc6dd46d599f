import type { Ended } from "./schedule.ts";

/** A test that failed. */
export interface Failure {
	readonly title: string;
	/** File and line, unless the title says where it is. */
	readonly place?: string;
	readonly problem: string;
}

/** Lines of a problem, when its test has ended and at the end of the run. */
const [FIRST_LINES, MAX_PROBLEM_LINES] = [12, 80];

/** A line for what ended, or what each test that failed in it says first: a long run is read while it goes on. */
export function describeEnded({ task, report, seconds }: Ended): string {
	const time = [`${seconds.toFixed(1)} s`, ...cpuWords(report.cpuSeconds)].join(", ");
	if (report.failures.length === 0) return `✔ ${task.name} (${time})`;
	return describeFailures({ task, report }, FIRST_LINES).join("\n");
}

/** What a reader of a long log needs: figures for each stage, and every failure once more. */
export function sumUp(all: readonly Ended[], seconds: number): string {
	const failures = all.flatMap((ended) => describeFailures(ended));
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

export function describeFailures(
	{ task, report }: Pick<Ended, "task" | "report">,
	most = MAX_PROBLEM_LINES,
): readonly string[] {
	return report.failures.map((failure) => describeFailure(task.name, failure, most));
}

function describeFailure(task: string, { title, place = task, problem }: Failure, most: number): string {
	const lines = problem.split("\n");
	const shown = lines.slice(0, most);
	const rest = lines.length > shown.length ? [`… ${lines.length - shown.length} more lines`] : [];
	return [`✖ ${place} ${title}`.trimEnd(), ...[...shown, ...rest].map((line) => `    ${line}`)].join("\n");
}

function cpuWords(seconds: number | undefined): readonly string[] {
	return seconds === undefined ? [] : [`${seconds.toFixed(1)} s of processor`];
}
