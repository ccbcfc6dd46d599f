// Measures listing and searching many threads, beside reading the same files; prints a table.
// Usage: node test/bench/many-threads.ts, after a build
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { threadList, threadSearch } from "../../agent-host/protocol/thread/thread.ts";
import { writeLongThread } from "../support/a-long-thread.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { startHost } from "../support/host-process.ts";
import { printTable } from "./figures.ts";
import { openBench, specOf } from "./subject.ts";
import { rowOf } from "./table.ts";

const THREADS = 5_000;
const ROUNDS = 9;

const bench = await openBench();
try {
	const model = await startFakeModel(() => says("ok"));
	const spec = specOf(bench, bench.ours, model);
	for (let thread = 0; thread < THREADS; thread += 1) writeLongThread(spec.home, `thread-${thread}`, 2);
	const host = await startHost(spec);
	const list = () => host.request(threadList, {});
	const search = (query: string) => () => host.request(threadSearch, { query });
	const once = await repeat(1, list);
	const again = await repeat(ROUNDS, list);
	const [first, later] = [await repeat(1, search("thread-4321")), await repeat(ROUNDS, search("thread-4321"))];
	const floor = await repeat(3, async () => readAll(join(spec.home, "threads")));
	const row = (measure: string, ours: readonly number[], aim: string) =>
		rowOf({ measure, floor, ours, unit: "ms", aim });
	const many = THREADS.toLocaleString("en");
	printTable([
		row(`list of ${many} threads, no index`, once, ""),
		row(`list of ${many} threads`, again, "≤ 100 ms"),
		row(`search in ${many} threads, the first time`, first, ""),
		row(`search in ${many} threads`, later, "≤ 100 ms"),
	]);
	await host.close();
	await model.stop();
} finally {
	bench.remove();
}

function readAll(folder: string): void {
	for (const name of readdirSync(folder)) if (name.endsWith(".jsonl")) readFileSync(join(folder, name), "utf8");
}

async function repeat(rounds: number, work: () => Promise<unknown>): Promise<readonly number[]> {
	const times: number[] = [];
	for (let round = 0; round < rounds; round += 1) {
		const start = performance.now();
		await work();
		times.push(performance.now() - start);
	}
	return times;
}
