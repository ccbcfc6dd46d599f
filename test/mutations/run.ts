// Switches off one protection at a time, in copies of the repository, and says which test notices. Not part of the tests.
// Usage: node test/mutations/run.ts [--publish] [--jobs=2] [word of the name of a protection or a group …]. Fails if no test
// notices one of them.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PROJECT } from "../support/editor-paths.ts";
import { MUTATIONS } from "./catalog.ts";
import { copyRepository, removeCopy } from "./copies.ts";
import { type Mutation, weaken } from "./mutation.ts";
import { publish, type Result } from "./publish.ts";
import { buildCopy, findFailures, type Noticed, needsBuild, runTest } from "./run-test.ts";

const { values, positionals } = parseArgs({
	options: { publish: { type: "boolean", default: false }, jobs: { type: "string", default: "2" } },
	allowPositionals: true,
});

const isChosen = (name: string): boolean => positionals.length === 0 || positionals.some((word) => name.includes(word));
const chosen = Object.entries(MUTATIONS).flatMap(([group, mutations]) =>
	mutations.filter(({ protection }) => isChosen(group) || isChosen(protection)),
);
// A text that is no longer there should not be found out after minutes.
for (const mutation of chosen) weaken(mutation, readSource);

const clean = copyRepository();
const copies = Array.from({ length: Number(values.jobs) }, copyRepository);
const removeAll = (): void => {
	for (const copy of [clean, ...copies]) removeCopy(copy);
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.once(signal, () => {
		removeAll();
		process.exit(1);
	});
}
const results: Result[] = [];
/** What of a file fails anyway. */
const sound = new Map<string, ReadonlySet<string>>();
const NOTHING: ReadonlySet<string> = new Set();
try {
	await buildCopy(clean);
	const waiting = [...chosen];
	await Promise.all(copies.map((copy) => takeMutations(copy, waiting)));
} finally {
	removeAll();
}
if (values.publish) publish(results);
const survivors = results.filter(({ noticedBy }) => noticedBy === undefined);
console.log(`\n${results.length - survivors.length} noticed, ${survivors.length} not`);
for (const { protection } of survivors) console.log(`  ${protection}`);
process.exitCode = survivors.length === 0 ? 0 : 1;

async function takeMutations(copy: string, waiting: Mutation[]): Promise<void> {
	for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
		const started = performance.now();
		const noticedBy = await findNotice(copy, mutation);
		const seconds = (performance.now() - started) / 1_000;
		results.push({ protection: mutation.protection, noticedBy, seconds });
		const by = noticedBy === undefined ? "NOBODY" : `${noticedBy.test}: ${noticedBy.title}`;
		console.log(`${seconds.toFixed(0).padStart(4)} s  ${mutation.protection}: ${by}`);
	}
}

/** The test that notices that a protection is gone. */
async function findNotice(copy: string, mutation: Mutation): Promise<Result["noticedBy"]> {
	writeFileSync(join(copy, mutation.file), weaken(mutation, readSource));
	let isBuilt = false;
	try {
		for (const test of mutation.tests) {
			if (needsBuild(test) && !isBuilt) await buildCopy(copy);
			isBuilt ||= needsBuild(test);
			const noticed = await runSound(copy, test);
			if (noticed === "broken") throw new Error(`${mutation.protection}: ${test} does not even begin.`);
			if (noticed !== "passed") return { test, title: noticed.by };
		}
		return undefined;
	} finally {
		cpSync(join(PROJECT, mutation.file), join(copy, mutation.file));
	}
}

/** A test that fails anyway would seem to notice everything, so each file that notices is run once without any change. */
async function runSound(copy: string, test: string): Promise<Noticed> {
	const noticed = await runTest(copy, test, sound.get(test) ?? NOTHING);
	if (typeof noticed === "string" || sound.has(test)) return noticed;
	const failures = await findFailures(clean, test);
	sound.set(test, failures);
	for (const title of failures) console.log(`${test} fails without any change and is left out: ${title}`);
	return failures.has(noticed.by) ? runTest(copy, test, failures) : noticed;
}

function readSource(file: string): string {
	return readFileSync(join(PROJECT, file), "utf8");
}
