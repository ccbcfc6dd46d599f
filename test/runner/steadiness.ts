import type { Ended } from "./schedule.ts";

/** A table in Markdown: how often each file ran and failed, its slowest run, and what it waited for longest. */
export function describeSteadiness(all: readonly Ended[]): string {
	const names = [...new Set(all.map(({ task }) => task.name))].sort();
	const rows = names.map((name) => describeFile(all.filter(({ task }) => task.name === name)));
	const failed = all.filter(({ report }) => report.failures.length > 0).length;
	return [
		"| File | Runs | Failed | Slowest run | Slowest wait |",
		"| --- | --- | --- | --- | --- |",
		...rows,
		"",
		`${all.length} runs of ${names.length} files, ${failed} failed.`,
	].join("\n");
}

function describeFile(runs: readonly Ended[]): string {
	const slowest = Math.max(...runs.map(({ seconds }) => seconds));
	const failed = runs.filter(({ report }) => report.failures.length > 0).length;
	const waits = runs.flatMap(({ report }) => report.slowestWait ?? []);
	const [wait] = waits.toSorted((a, b) => b.ms - a.ms);
	const waited = wait === undefined ? "–" : `${(wait.ms / 1_000).toFixed(1)} s: ${wait.what.replaceAll("|", "\\|")}`;
	return `| ${runs[0]?.task.name} | ${runs.length} | ${failed} | ${slowest.toFixed(1)} s | ${waited} |`;
}
