// Measures going on with a long thread in a new process, beside the peer where CODEX_BIN names it; prints a table.
// Usage: node test/bench/resume.ts, after a build
import { join } from "node:path";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { type Contender, listContenders } from "./contenders.ts";
import { printTable } from "./figures.ts";
import { processorOf } from "./measures.ts";
import { openBench } from "./subject.ts";
import { collect, rowFor } from "./table.ts";

const TURNS = 2_000;
const ROUNDS = 9;

interface Resumed {
	/** Milliseconds from spawn until the request of the next turn is at the model. */
	readonly toRequest: number;
	/** Milliseconds of that since the turn was started. */
	readonly turn: number;
	/** Of the processor, until the turn is done. */
	readonly used: number;
}

const bench = await openBench();
try {
	const contenders = listContenders(bench).filter(({ name }) => name !== "floor");
	const taken = collect<Resumed>();
	const opened = [];
	for (const contender of contenders) opened.push(await makeThread(contender));
	for (let round = 0; round <= ROUNDS; round += 1) {
		for (const { name, resume } of opened) {
			const resumed = await resume(round);
			// The first round keeps what later ones find.
			if (round > 0) taken[name].push(resumed);
		}
	}
	for (const { stop } of opened) await stop();
	const thread = `thread of ${TURNS.toLocaleString("en")} turns`;
	printTable([
		rowFor(`${thread}: spawn → request of the next turn`, taken, "toRequest", "ms", "≤ 0.2 × peer"),
		rowFor(`${thread}: its next turn → request`, taken, "turn", "ms", "≤ 1 × peer"),
		rowFor(`${thread}: processor until that turn is done`, taken, "used", "ms", ""),
	]);
} finally {
	bench.remove();
}

/** A thread that has really had so many turns. */
async function makeThread({ name, start }: Contender): Promise<{
	readonly name: Contender["name"];
	readonly resume: (round: number) => Promise<Resumed>;
	readonly stop: () => Promise<void>;
}> {
	const home = join(bench.folder, `${name}-resumed`);
	const model = await startFakeModel(() => says("ok"), { takes: "all" });
	const first = await start(home, model);
	for (let turn = 0; turn < TURNS; turn += 1) {
		await first.runTurn(`Question ${turn}.`);
		model.forget();
	}
	await first.stop();
	return {
		name,
		async resume(round) {
			model.forget();
			const spawned = performance.now();
			const running = await start(home, model, first.threadId);
			const asked = performance.now();
			await running.runTurn(`Once more, ${round}.`);
			const used = processorOf(running.pid);
			const { at } = await model.requestNumber(1);
			await running.stop();
			return { toRequest: at - spawned, turn: at - asked, used };
		},
		stop: () => model.stop(),
	};
}
