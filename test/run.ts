// Runs what every change is tried with, the rest of it, everything, or the stages and files named as arguments. The last line is
// always "N passed, N failed".
// Usage: npm test [-- stage | file … -t "words of a title" --rest --full]
import { readOptions } from "./runner/options.ts";
import { countWords, describeEnded, failedOf, sumUp } from "./runner/report.ts";
import { run } from "./runner/run.ts";
import type { Ended } from "./runner/schedule.ts";
import { listChoices } from "./runner/stages.ts";

try {
	const start = performance.now();
	const options = readOptions(process.argv.slice(2), listChoices());
	const all = await run(options, (ended) => console.log(describeEnded(ended)));
	if (options.title !== undefined && !foundTests(all)) throw new Error(`No test has "${options.title}" in its title.`);
	console.log(`\n${sumUp(all, (performance.now() - start) / 1_000)}`);
	console.log(countWords(all));
	process.exitCode = failedOf(all) === 0 ? 0 : 1;
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	console.log("0 passed, 1 failed");
	process.exitCode = 1;
}

function foundTests(all: readonly Ended[]): boolean {
	return all.some(({ task, report }) => task.name.startsWith("test/") && report.passed + report.failures.length > 0);
}
