// Runs all tests, or the stages named as arguments. The last line is always "N passed, N failed".
// Usage: npm test [-- stage … --full]
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setUp } from "./set-up.ts";
import { PROJECT } from "./support/editor-paths.ts";
import { addCounts, type Counts, NOTHING, ONE_FAILED } from "./support/reporter.ts";
import { findTests, STAGES, type Stage, type Step } from "./support/stages.ts";
import { runInWorkers } from "./support/workers.ts";

type TestStage = Extract<Stage, { readonly kind: "tests" }>;

const FULL = "--full";
const MINUTE = 60_000;

async function main(words: readonly string[]): Promise<Counts> {
	if (words.includes(FULL)) process.env.VITRINE_FULL = "1";
	// Types are stripped once, not once for each process.
	process.env.NODE_COMPILE_CACHE = join(PROJECT, "node_modules/.cache/vitrine-tests");
	let total = NOTHING;
	let built = true;
	for (const stage of chooseStages(words.filter((word) => word !== FULL))) {
		const counts: Counts = built ? await timeStage(stage) : refuseStage(stage);
		if (stage.name === "build") built = counts.failed === 0;
		total = addCounts(total, counts);
	}
	return total;
}

/** Tests of built files are never run against an old build. */
function chooseStages(names: readonly string[]): readonly Stage[] {
	const unknown = names.filter((name) => !STAGES.some((stage) => stage.name === name));
	if (unknown.length > 0) throw new Error(`No such stage: ${unknown.join(", ")}.`);
	if (names.length === 0) return STAGES;
	const chosen = STAGES.filter(({ name }) => names.includes(name));
	const fromBuild = chosen.some((stage) => stage.kind === "tests" && stage.fromBuild);
	return STAGES.filter((stage) => chosen.includes(stage) || (fromBuild && stage.name === "build"));
}

async function timeStage(stage: Stage): Promise<Counts> {
	console.log(`\n== ${stage.name}`);
	const start = performance.now();
	const counts = await (stage.kind === "steps" ? runSteps(stage.steps()) : runStage(stage));
	const seconds = ((performance.now() - start) / 1_000).toFixed(1);
	console.log(`== ${stage.name}: ${sumUp(counts)} in ${seconds} s`);
	return counts;
}

function refuseStage(stage: Stage): Counts {
	console.log(`\n== ${stage.name}: not run, because the build failed`);
	return ONE_FAILED;
}

/** All at once: they read the same files and change none. */
async function runSteps(steps: readonly Step[]): Promise<Counts> {
	const counts = steps.map(async ({ name, findProblems }) => {
		const problems = await findProblems();
		console.log(problems === "" ? `✔ ${name}` : `✖ ${name}\n${problems}`);
		return problems === "" ? { passed: 1, failed: 0 } : ONE_FAILED;
	});
	return (await Promise.all(counts)).reduce(addCounts);
}

async function runStage(stage: TestStage): Promise<Counts> {
	const withFull = isFull() || process.env.VITRINE_PICTURES !== undefined;
	const alone = findTests([...(stage.alone ?? []), ...(withFull ? (stage.full ?? []) : [])]);
	const together = findTests(stage.together).filter((file) => !alone.includes(file));
	if (together.length + alone.length === 0) {
		console.log(stage.required ? "✖ No tests were found" : "No tests yet");
		return { passed: 0, failed: stage.required ? 1 : 0 };
	}
	try {
		setUp(stage.needs);
	} catch (error) {
		console.log(`✖ ${error instanceof Error ? error.message : error}`);
		return ONE_FAILED;
	}
	// A file that keeps running after its tests would hold up everything.
	const common = { filesEach: stage.filesEach, fileMs: (isFull() ? 60 : 10) * MINUTE };
	const counts = await runInWorkers(
		{ ...common, files: together, workers: availableParallelism() + stage.waiting },
		console.log,
	);
	return addCounts(counts, await runInWorkers({ ...common, files: alone, workers: 1 }, console.log));
}

function isFull(): boolean {
	return process.env.VITRINE_FULL === "1";
}

function sumUp({ passed, failed }: Counts): string {
	return `${passed} passed, ${failed} failed`;
}

let total = ONE_FAILED;
try {
	total = await main(process.argv.slice(2));
} catch (error) {
	console.error(error);
}
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(`\n${sumUp(total)}`);
