// Measures the search for files that a mention in the composer makes, over 100,000 paths; prints a table.
// Usage: node test/bench/mentions.ts
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createPathIndex } from "../../agent-host/mentions/path-index.ts";
import { createFindFiles } from "../../agent-host/session/find-files.ts";
import { aPolicy } from "../support/a-policy.ts";
import { median, type Row, renderTable, rowOf } from "./table.ts";

const FILES = 100_000;
const FILES_A_FOLDER = 12;
const ROUNDS = 9;
const RENAMED = 1_000;
const FRAME = "≤ 16 ms";
const WORDS = ["session", "editor", "host", "thread", "policy", "patch", "model", "view", "panel", "store", "sandbox"];

/** What is typed, a letter at a time as a person does it, and what costs the most: letters that nearly every path holds. */
const QUERIES = ["e", "s", "se", "ses", "sess", "sessionPanel42", "e/s", "tse", "zzzz", "module77/edi"];

function somePaths(): readonly string[] {
	return Array.from({ length: FILES }, (_, n) => {
		const folder = Math.floor(n / FILES_A_FOLDER);
		const word = (number: number) => WORDS[number % WORDS.length] ?? "";
		const way = `packages/module${folder % 97}/${word(folder)}/${word(folder * 3)}-${word(folder * 7)}-${folder}`;
		return `${way}/${word(n)}${n % 2 ? "Panel" : "-view"}${n}.ts`;
	});
}

function measureMatching(paths: readonly string[]): readonly Row[] {
	const index = createPathIndex();
	const built = timed(() => index.add(paths));
	const slowest = Array.from({ length: ROUNDS }, () =>
		QUERIES.map((query) => ({ query, ms: timed(() => index.find(query, 30)).ms })),
	);
	const ofQuery = QUERIES.map((_, at) => slowest.map((round) => round[at]?.ms ?? 0));
	// What the same search costs somebody who only asks whether a path holds the letters.
	const lower = paths.map((path) => path.toLowerCase());
	const floor = QUERIES.map((query) =>
		Array.from({ length: ROUNDS }, () => timed(() => lower.filter((path) => path.includes(query.toLowerCase()))).ms),
	);
	return [
		{ measure: "index of 100,000 files made", floor: "", ours: `${built.ms.toFixed(0)} ms`, aim: "" },
		...QUERIES.map((query, at) =>
			rowOf({ measure: `find “${query}”`, floor: floor[at] ?? [], ours: ofQuery[at] ?? [], unit: "ms", aim: FRAME }),
		),
		{
			measure: "slowest query, its median",
			floor: "",
			ours: `${Math.max(...ofQuery.map(median)).toFixed(1)} ms`,
			aim: FRAME,
		},
	];
}

async function measureOnDisk(paths: readonly string[], folder: string): Promise<readonly Row[]> {
	for (const path of new Set(paths.map((path) => dirname(path)))) mkdirSync(join(folder, path), { recursive: true });
	for (const path of paths) writeFileSync(join(folder, path), "");
	const policy = aPolicy({ places: { roots: [folder] } });
	const find = createFindFiles(
		async () => ({ cwd: folder, roots: [folder], policy }),
		() => performance.now(),
	);
	const ask = (query: string) => timedAsync(() => find({ query, limit: 30 }));
	const cold = await ask("sess");
	const warm = await ask("sess");
	for (const path of paths.slice(0, RENAMED)) renameSync(join(folder, path), join(folder, `${path}.renamed`));
	const afterRenames = await ask("renamed");
	return [
		{ measure: "first question, with the walk", floor: "", ours: `${cold.toFixed(0)} ms`, aim: "" },
		{ measure: "second question", floor: "", ours: `${warm.toFixed(1)} ms`, aim: FRAME },
		{ measure: "question after 1,000 renames", floor: "", ours: `${afterRenames.toFixed(1)} ms`, aim: FRAME },
	];
}

function timed<T>(work: () => T): { readonly result: T; readonly ms: number } {
	// Processor time: what a machine that does nothing else would take.
	const start = process.cpuUsage();
	const result = work();
	const { user, system } = process.cpuUsage(start);
	return { result, ms: (user + system) / 1_000 };
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-mentions-")));
try {
	const paths = somePaths();
	const rows = [...measureMatching(paths), ...(await measureOnDisk(paths, top))];
	console.log(renderTable(rows));
} finally {
	rmSync(top, { recursive: true, force: true });
}
