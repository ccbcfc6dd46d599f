// Measures what memory a thread costs over many turns, what sixteen open threads cost, and who holds what has grown;
// prints tables. Usage: node test/bench/memory.ts, after a build; CODEX_BIN names the peer
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { writeLongThread } from "../support/a-long-thread.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { startHost } from "../support/host-process.ts";
import { type Contender, listContenders, type Running } from "./contenders.ts";
import { printTable } from "./figures.ts";
import { compareHeaps, readHolders } from "./heap-holders.ts";
import { memoryOf } from "./measures.ts";
import { openBench, specOf } from "./subject.ts";
import { collect, type Row, rowFor } from "./table.ts";

/** Turns after which memory is looked at: growth is counted from the first, and is to end at the third. */
const MARKS = [1, 201, 1_000, 1_500];
const THREADS = 16;
const TURNS_EACH = 500;
const LARGEST = 10;

interface Growth {
	readonly early: number;
	readonly late: number;
}

async function measureGrowth({ name, start }: Contender, home: string): Promise<Growth> {
	const model = await startFakeModel(() => says("ok"), { takes: "all" });
	const running = await start(home, model);
	const memory: number[] = [];
	// What the peer does after 200 turns is not compared.
	const marks = name === "peer" ? MARKS.slice(0, 2) : MARKS;
	for (let turn = 1; turn <= (marks.at(-1) ?? 0); turn += 1) {
		await running.runTurn(`Question ${turn}.`);
		if (marks.includes(turn)) memory.push(memoryOf(running.pid));
	}
	await running.stop();
	await model.stop();
	const [first = 0, early = 0, before = 0, last = 0] = memory;
	return { early: early - first, late: last - before };
}

/** Sixteen threads are what a host keeps open. */
async function measureOpenThreads(): Promise<Row> {
	const model = await startFakeModel(() => says("ok"));
	const spec = specOf(bench, bench.ours, model);
	const ids = Array.from({ length: THREADS }, (_, n) => writeLongThread(spec.home, `open-${n}`, TURNS_EACH).threadId);
	const host = await startHost(spec);
	const sizes = [];
	for (const threadId of ids) {
		await host.request(threadResume, { threadId });
		sizes.push(memoryOf(host.pid));
	}
	await host.close();
	await model.stop();
	const measure = `memory with ${THREADS} open threads of ${TURNS_EACH} turns (with one)`;
	const [one = 0, all = 0] = [sizes[0], sizes.at(-1)];
	return { measure, floor: "", ours: `${all.toFixed(0)} MB (${one.toFixed(0)} MB)`, aim: "≤ 200 MB" };
}

/** The heap after a few turns and after many, by who holds what. */
async function measureHolders(): Promise<string> {
	const folder = join(bench.folder, "heaps");
	const NODE_OPTIONS = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${bench.folder}`;
	const contender = listContenders(bench, { NODE_OPTIONS })[1];
	if (contender === undefined) throw new Error("Our host is not among the contenders.");
	const model = await startFakeModel(() => says("ok"));
	const running = await contender.start(folder, model);
	const heaps = [];
	for (const [from, to] of [
		[0, 50],
		[50, 450],
	] as const) {
		for (let turn = from; turn < to; turn += 1) await running.runTurn(`Question ${turn}.`);
		heaps.push(readHolders(await takeSnapshot(running)));
	}
	await running.stop();
	await model.stop();
	const [before, after] = heaps;
	const largest = before && after ? compareHeaps(before, after).slice(0, LARGEST) : [];
	const lines = largest.map(({ holder, bytes, grown }) => `| ${holder} | ${kilo(bytes)} | ${kilo(grown)} |`);
	return ["| Holder | Held, KB | Grown over 400 turns, KB |", "| --- | --- | --- |", ...lines].join("\n");
}

function kilo(bytes: number): string {
	return (bytes / 1_024).toFixed(0);
}

async function takeSnapshot({ pid, runTurn }: Running): Promise<string> {
	const before = new Set(readdirSync(bench.folder));
	process.kill(pid, "SIGUSR2");
	for (;;) {
		await pause(200);
		const fresh = readdirSync(bench.folder).find((name) => name.endsWith(".heapsnapshot") && !before.has(name));
		if (fresh === undefined) continue;
		// The host does nothing else until it is written.
		await runTurn("Go on.");
		return join(bench.folder, fresh);
	}
}

const bench = await openBench();
try {
	const growth = collect<Growth>();
	for (const contender of listContenders(bench)) {
		growth[contender.name].push(await measureGrowth(contender, join(bench.folder, `${contender.name}-memory`)));
	}
	printTable([
		rowFor("growth over 200 turns", growth, "early", "MB", "≤ 1.0 × peer"),
		rowFor("growth from turn 1,000 to 1,500", { ...growth, peer: [] }, "late", "MB", "flat"),
		await measureOpenThreads(),
	]);
	console.log(`\n${await measureHolders()}`);
} finally {
	bench.remove();
}
