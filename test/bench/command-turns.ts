// Measures a sandboxed command in a turn: from the model's reply with the call until its result is at the model, beside
// the peer that CODEX_BIN names; prints a table. Usage: node test/bench/command-turns.ts, after a build
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { listContenders, type Running } from "./contenders.ts";
import { openBench } from "./subject.ts";
import { median } from "./table.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 20);
/** Between turns, so that neither agent is measured while it tidies up after the last. */
const REST_MS = 200;
const COMMAND = "/bin/true";

/** Each agent's tool for commands, with the arguments that it takes. */
const TOOLS: Readonly<Record<string, object>> = {
	run_command: { command: COMMAND },
	exec_command: { cmd: COMMAND },
	shell_command: { command: COMMAND },
	shell: { command: [COMMAND] },
};

interface Measured {
	readonly name: string;
	readonly model: FakeModel;
	readonly running: Running;
	readonly times: number[];
	/** When the model was asked last. */
	readonly asked: { at: number; outputs: number };
}

function countOutputs({ text }: RecordedRequest): number {
	return text.split('"function_call_output"').length - 1;
}

async function open(name: string, start: (model: FakeModel) => Promise<Running>): Promise<Measured> {
	const asked = { at: 0, outputs: 0 };
	const times: number[] = [];
	const model = await startFakeModel(
		(request) => {
			const outputs = countOutputs(request);
			if (outputs > asked.outputs) {
				times.push(performance.now() - asked.at);
				asked.outputs = outputs;
				return says("Done.");
			}
			const [tool, args] = Object.entries(TOOLS).find(([one]) => request.text.includes(`"name":"${one}"`)) ?? ["", {}];
			asked.at = performance.now();
			return calls(tool, args);
		},
		{ takes: name === "peer" ? "all" : "ours" },
	);
	return { name, model, running: await start(model), times, asked };
}

const bench = await openBench();
mkdirSync(join(bench.folder, ".git"));
const contenders = listContenders(bench).filter(({ name }) => name !== "floor");
const measured: Measured[] = [];
for (const { name, start } of contenders)
	measured.push(await open(name, (model) => start(join(bench.folder, name), model)));
for (let round = 0; round < ROUNDS + 2; round += 1) {
	for (const { running } of measured) {
		await setTimeout(REST_MS);
		await running.runTurn(`Run ${COMMAND}, for the ${round}. time.`);
	}
}
// The first ones fill caches.
const medians = measured.map(({ name, times }) => [name, median(times.slice(2)), times.length] as const);
const peer = medians.find(([name]) => name === "peer")?.[1];
console.log(`| a sandboxed ${COMMAND} in a turn, ${ROUNDS} rounds | median ms | × peer |\n| --- | --- | --- |`);
for (const [name, ms, count] of medians)
	console.log(
		`| ${name} (${count} commands) | ${ms.toFixed(1)} | ${peer === undefined ? "" : (ms / peer).toFixed(2)} |`,
	);
for (const { running, model } of measured) {
	await running.stop();
	await model.stop();
}
bench.remove();
