// Measures the search for files that a mention in the composer makes, over 100,000 paths; prints tables.
// Usage: node test/bench/mentions.ts, after a build
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createPathIndex } from "../../agent-host/mentions/path-index.ts";
import { fileFind } from "../../agent-host/protocol/thread/mentions.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { floods, says } from "../support/fake-model-steps.ts";
import { endOfTurn } from "../support/host-process.ts";
import { printTable } from "./figures.ts";
import { type Bench, openBench, type Subject, startSubject } from "./subject.ts";
import { type Row, rowOf, spreadRowOf } from "./table.ts";

const FILES = 100_000;
const FILES_A_FOLDER = 12;
const ROUNDS = 15;
const RENAMED = 1_000;
const DELTAS = 20_000;
const LIMIT = 30;
const FRAME = "≤ 16 ms";
const WORDS = ["session", "editor", "host", "thread", "policy", "patch", "model", "view", "panel", "store", "sandbox"];

/** What is typed, a letter at a time as a person does it, and what costs the most: letters that nearly every path holds. */
const TYPED = ["e", "s", "se", "ses", "sess", "sessionPanel42"];
const QUERIES = [...TYPED, "e/s", "tse", "vw", "e.s", "renamed", "zzzz", "module77/edi"];

function somePaths(): readonly string[] {
	return Array.from({ length: FILES }, (_, n) => {
		const folder = Math.floor(n / FILES_A_FOLDER);
		const word = (number: number) => WORDS[number % WORDS.length] ?? "";
		const way = `packages/module${folder % 97}/${word(folder)}/${word(folder * 3)}-${word(folder * 7)}-${folder}`;
		return `${way}/${word(n)}${n % 2 ? "Panel" : "-view"}${n}.ts`;
	});
}

/** Beside somebody who only asks whether a path holds the letters. In processor time: others may use the machine. */
function measureMatching(paths: readonly string[]): readonly Row[] {
	const index = createPathIndex();
	const built = cpuOf(() => {
		for (const path of paths) index.add(path);
	});
	const lower = paths.map((path) => path.toLowerCase());
	const rows = QUERIES.map((query) => {
		const search = () => index.search(query, LIMIT).advance(2 * FILES);
		const filter = () => lower.filter((path) => path.includes(query.toLowerCase()));
		const figures = { floor: repeat(() => cpuOf(filter)), ours: repeat(() => cpuOf(search)) };
		return rowOf({ measure: `CPU to find “${query}”`, ...figures, unit: "ms", aim: FRAME });
	});
	return [{ measure: "CPU to index 100,000 files", floor: "", ours: `${built.toFixed(0)} ms`, aim: "" }, ...rows];
}

/** Through the built host, beside a question that asks for nothing in particular and so only travels. */
async function measureAsking(bench: Bench, paths: readonly string[]): Promise<readonly Row[]> {
	const subject = await startSubject(bench, bench.ours);
	const ask = (query: string) => wallOf(() => subject.host.request(fileFind, { query, limit: LIMIT }));
	const row = (measure: string, { floor, ours }: Answers) =>
		spreadRowOf({ measure, floor, ours, unit: "ms", aim: FRAME });
	try {
		const first = await ask("sess");
		const walked = await askUntilWhole(subject, ask);
		const warm = await askAll(ask, { rounds: 3 });
		const busy = await duringTurn(subject, () => askAll(ask, { rounds: 1 }));
		for (const path of paths.slice(0, RENAMED)) renameSync(join(bench.folder, path), join(bench.folder, `${path}.old`));
		const renamed = await askAll(ask, { rounds: 3 });
		return [
			{ measure: "first question", floor: "", ours: `${first.toFixed(0)} ms`, aim: "at once" },
			row("questions during the first walk", walked),
			{ measure: "the first walk", floor: "", ours: `${walked.tookMs.toFixed(0)} ms`, aim: "" },
			row("later questions", warm),
			row(`questions while ${DELTAS.toLocaleString("en")} deltas stream`, busy),
			row("questions after 1,000 renames", renamed),
		];
	} finally {
		subject.answer(says("ok"));
		await subject.stop();
	}
}

async function askUntilWhole(
	{ host }: Subject,
	ask: (query: string) => Promise<number>,
): Promise<Answers & { readonly tookMs: number }> {
	const answers: Answers = { floor: [], ours: [] };
	const tookMs = await wallOf(async () => {
		for (let isWhole = false; !isWhole; ) {
			({ isWhole } = await host.request(fileFind, { query: "", limit: 1, wait: true }));
			const { floor, ours } = await askAll(ask, { rounds: 1 });
			answers.floor.push(...floor);
			answers.ours.push(...ours);
		}
	});
	return { ...answers, tookMs };
}

interface Answers {
	readonly floor: number[];
	readonly ours: number[];
}

async function askAll(
	ask: (query: string) => Promise<number>,
	{ rounds }: { readonly rounds: number },
): Promise<Answers> {
	const answers: Answers = { floor: [], ours: [] };
	for (let round = 0; round < rounds; round += 1) {
		for (const query of QUERIES) {
			answers.floor.push(await ask(""));
			answers.ours.push(await ask(query));
		}
	}
	return answers;
}

/** Asks again and again until a turn of many deltas is over. */
async function duringTurn(subject: Subject, ask: () => Promise<Answers>): Promise<Answers> {
	const { host, threadId } = subject;
	subject.answer(floods(DELTAS));
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Flood." }] });
	let isOver = false;
	const ended = endOfTurn(host, threadId, turnId).then(() => {
		isOver = true;
	});
	const answers: Answers = { floor: [], ours: [] };
	while (!isOver) {
		const { floor, ours } = await ask();
		answers.floor.push(...floor);
		answers.ours.push(...ours);
	}
	await ended;
	return answers;
}

function repeat(measure: () => number): readonly number[] {
	return Array.from({ length: ROUNDS }, measure);
}

function cpuOf(work: () => unknown): number {
	const start = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1_000;
}

async function wallOf(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

const paths = somePaths();
printTable(measureMatching(paths));
const bench = await openBench();
try {
	for (const path of new Set(paths.map((path) => dirname(path)))) {
		mkdirSync(join(bench.folder, path), { recursive: true });
	}
	for (const path of paths) writeFileSync(join(bench.folder, path), "");
	printTable(await measureAsking(bench, paths));
} finally {
	bench.remove();
}
