// Runs stages or files again and again while every processor is kept busy, and says how often each file failed.
// Usage: npm run test:steady -- stage | file … [--rounds N]
import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { readOptions } from "./runner/options.ts";
import { describeFailures } from "./runner/report.ts";
import { run } from "./runner/run.ts";
import type { Ended } from "./runner/schedule.ts";
import { listChoices } from "./runner/stages.ts";
import { describeSteadiness } from "./runner/steadiness.ts";

const BUSY = "for (;;);";

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		options: { rounds: { type: "string", default: "10" } },
		allowPositionals: true,
	});
	const rounds = Number(values.rounds);
	if (!Number.isInteger(rounds) || rounds < 1)
		throw new Error(`--rounds takes a whole number, not "${values.rounds}".`);
	const options = readOptions(positionals, listChoices());
	if (options.stages.length + options.files.length === 0) throw new Error("Name a stage or a file to run.");
	const loops = keepBusy();
	const all: Ended[] = [];
	try {
		for (let round = 1; round <= rounds; round += 1) {
			const start = performance.now();
			const ended = await run(options, (one) => {
				if (one.report.failures.length > 0) console.log(describeFailures(one).join("\n"));
			});
			all.push(...ended);
			console.log(`Round ${round} of ${rounds}: ${((performance.now() - start) / 1_000).toFixed(0)} s`);
		}
	} finally {
		for (const loop of loops) loop.kill();
	}
	console.log(`\n${describeSteadiness(all)}`);
	return all.filter(({ report }) => report.failures.length > 0).length;
}

/** One loop for each processor. They end with us: a loop that outlived its run would slow down everything after it. */
function keepBusy(): readonly ChildProcess[] {
	const loops = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", BUSY]));
	process.once("exit", () => {
		for (const loop of loops) loop.kill();
	});
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
	return loops;
}

try {
	process.exitCode = (await main()) === 0 ? 0 : 1;
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
