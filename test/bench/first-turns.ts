// Measures what it takes from nothing to a first request, and what memory a long thread needs, beside the null host and,
// where CODEX_BIN names it, the peer; prints a table. Usage: node test/bench/first-turns.ts, after a build
import { join } from "node:path";
import { writeLongThread } from "../support/a-long-thread.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { type Contender, listContenders } from "./contenders.ts";
import { printTable } from "./figures.ts";
import { memoryOf, processorOf } from "./measures.ts";
import { openBench } from "./subject.ts";
import { collect, rowFor } from "./table.ts";

const ROUNDS = 15;
const THREADS = 1_000;
const TURNS = 200;
/** Of a limit that is not passed: the peer's figure times this. */
const AIM = "≤ 0.6 × peer";

interface FirstTurn {
	/** Milliseconds from spawn until the request is at the model. */
	readonly toRequest: number;
	/** Of the processor, until then and until the turn is done; helpers that have ended included. */
	readonly used: number;
	readonly usedInAll: number;
	/** MB. */
	readonly memory: number;
}

async function measureFirstTurn({ start }: Contender, home: string): Promise<FirstTurn> {
	const model = await startFakeModel(() => says("ok"), { takes: "all" });
	const spawned = performance.now();
	const running = await start(home, model);
	const arrived = model.requestNumber(1).then(({ at }) => ({ at, used: processorOf(running.pid) }));
	await running.runTurn("Hello.");
	const [usedInAll, memory] = [processorOf(running.pid), memoryOf(running.pid)];
	const { at, used } = await arrived;
	await running.stop();
	await model.stop();
	return { toRequest: at - spawned, used, usedInAll, memory };
}

/** Memory after the first turn, and by how much it has grown after the last; both in MB. */
async function measureGrowth({ start }: Contender, home: string): Promise<{ readonly growth: number }> {
	const model = await startFakeModel(() => says("ok"), { takes: "all" });
	const running = await start(home, model);
	await running.runTurn("Hello.");
	const before = memoryOf(running.pid);
	for (let turn = 0; turn < TURNS; turn += 1) await running.runTurn(`Question ${turn}.`);
	const growth = memoryOf(running.pid) - before;
	await running.stop();
	await model.stop();
	return { growth };
}

const bench = await openBench();
try {
	const contenders = listContenders(bench);
	const crowded = join(bench.folder, "crowded");
	for (let thread = 0; thread < THREADS; thread += 1) writeLongThread(crowded, `thread-${thread}`, 2);
	const taken = { fresh: collect<FirstTurn>(), again: collect<FirstTurn>(), crowded: collect<FirstTurn>() };
	for (let round = 0; round <= ROUNDS; round += 1) {
		for (const contender of contenders) {
			const home = join(bench.folder, `${contender.name}-${round}`);
			const fresh = await measureFirstTurn(contender, home);
			const again = await measureFirstTurn(contender, home);
			// The first round fills caches.
			if (round === 0) continue;
			taken.fresh[contender.name].push(fresh);
			taken.again[contender.name].push(again);
			if (contender.name === "ours") taken.crowded.ours.push(await measureFirstTurn(contender, crowded));
		}
	}
	const growth = collect<{ readonly growth: number }>();
	for (const contender of contenders) {
		growth[contender.name].push(await measureGrowth(contender, join(bench.folder, `${contender.name}-long`)));
	}
	printTable([
		rowFor("spawn → first request, fresh home", taken.fresh, "toRequest", "ms", AIM),
		rowFor("spawn → first request, the same home again", taken.again, "toRequest", "ms", AIM),
		rowFor(`the same with ${THREADS.toLocaleString("en")} threads`, taken.crowded, "toRequest", "ms", AIM),
		rowFor("processor until the first request, fresh home", taken.fresh, "used", "ms", AIM),
		rowFor("processor until the first request, the same home again", taken.again, "used", "ms", AIM),
		rowFor(`the same with ${THREADS.toLocaleString("en")} threads`, taken.crowded, "used", "ms", AIM),
		rowFor("processor until the first turn is done, fresh home", taken.fresh, "usedInAll", "ms", AIM),
		rowFor("memory after the first turn", taken.fresh, "memory", "MB", AIM),
		rowFor(`growth over ${TURNS} more turns`, growth, "growth", "MB", "≤ 1.0 × peer"),
	]);
} finally {
	bench.remove();
}
