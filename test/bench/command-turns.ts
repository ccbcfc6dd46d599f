// Measures a sandboxed command in a turn: from the model's reply with the call until its result is at the model, less the
// same for a call that does almost nothing. Beside the peer that CODEX_BIN names, in its own sandbox, and beside other
// builds of the host, such as the one before: BUILDS=before=…/dist/agent-host.cjs. Prints a table.
// Usage: FILES=5000 node test/bench/command-turns.ts, after a build
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { listContenders, type Running } from "./contenders.ts";
import { openBench } from "./subject.ts";
import { median } from "./table.ts";

/** In the project. What changes there is kept, so that it can be undone. */
const FILES = Number(process.env.FILES ?? 0);
const ROUNDS = Number(process.env.ROUNDS ?? 20);
/** Between turns, so that neither agent is measured while it tidies up after the last. */
const REST_MS = 200;
const COMMAND = "/bin/true";
/** The first ones fill caches. */
const WARM_UP = 2;
/** What the kernel counts processor time in. */
const TICK_MS = 10;

type Call = "command" | "plan";

interface Measured {
	readonly name: string;
	readonly model: FakeModel;
	readonly running: Running;
	readonly times: Readonly<Record<Call, number[]>>;
	readonly processor: Readonly<Record<Call, number[]>>;
	/** What the model does next, and what it was told last. */
	readonly step: { call: Call; command: string; askedAt: number; outputs: number; told: string };
}

/** Each agent's tools, with the arguments that they take. */
function toolsFor(command: string): Readonly<Record<Call, Readonly<Record<string, object>>>> {
	const steps = [{ step: "Look", status: "pending" }];
	return {
		command: {
			run_command: { command },
			exec_command: { cmd: command },
			shell_command: { command },
			shell: { command: ["/bin/sh", "-c", command] },
		},
		plan: { update_plan: { steps, plan: steps } },
	};
}

function countOutputs({ text }: RecordedRequest): number {
	return text.split('"function_call_output"').length - 1;
}

async function open(name: string, start: (model: FakeModel) => Promise<Running>): Promise<Measured> {
	const step: Measured["step"] = { call: "command", command: COMMAND, askedAt: 0, outputs: 0, told: "" };
	const times = { command: [] as number[], plan: [] as number[] };
	const model = await startFakeModel(
		(request) => {
			const outputs = countOutputs(request);
			if (outputs > step.outputs) {
				times[step.call].push(performance.now() - step.askedAt);
				step.outputs = outputs;
				step.told = request.text.slice(request.text.lastIndexOf('"function_call_output"'));
				return says("Done.");
			}
			const known = Object.entries(toolsFor(step.command)[step.call]);
			const [tool, args] = known.find(([one]) => request.text.includes(`"name":"${one}"`)) ?? ["", {}];
			step.askedAt = performance.now();
			return calls(tool, args);
		},
		// To check a request takes time, and only ours could be checked.
		{ takes: "all" },
	);
	return { name, model, running: await start(model), times, processor: { command: [], plan: [] }, step };
}

/** Of a process and of those that it has waited for. */
function readProcessor(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
	return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
}

async function runTurn({ running, step, processor }: Measured, call: Call, command = COMMAND): Promise<void> {
	Object.assign(step, { call, command });
	await setTimeout(REST_MS);
	const before = readProcessor(running.pid);
	await running.runTurn(`Do that for the ${step.outputs}. time.`);
	processor[call].push(readProcessor(running.pid) - before);
}

/** A command that did not run, or was not contained, would be a fast one. */
async function checkContained(one: Measured, folder: string): Promise<void> {
	const inside = join(folder, `by-${one.name}`);
	// Anyone may write there, but no sandbox here lets a command.
	const outside = join("/var/tmp", `${basename(bench.folder)}-by-${one.name}`);
	await runTurn(one, "command", `touch ${inside} ${outside}`);
	const [hasRun, hasLeft] = [existsSync(inside), existsSync(outside)];
	rmSync(outside, { force: true });
	if (!hasRun || hasLeft) {
		const how = hasRun ? "was not contained" : "did not run";
		throw new Error(`The command of ${one.name} ${how}: ${one.step.told.slice(0, 500)}`);
	}
	one.times.command.length = 0;
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const bench = await openBench();
// As people have it: the project below their home folder, and what the agents keep in neither.
const user = join(bench.folder, "user");
const project = join(user, "project");
mkdirSync(join(project, ".git"), { recursive: true });
for (let file = 0; file < FILES; file += 1) {
	const folder = join(project, "src", `part-${Math.floor(file / 250)}`, `folder-${Math.floor(file / 10)}`);
	if (file % 10 === 0) mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, `${file}.ts`), `export const value = ${file};\n`);
}
const listFor = (ours: string) =>
	listContenders({ ...bench, folder: project, ours }, { HOME: user }, "workspace-write");
const builds = (process.env.BUILDS ?? "").split(",").flatMap((build) => {
	const [name = "", program] = build.split("=");
	return program === undefined ? [] : listFor(program).flatMap((one) => (one.name === "ours" ? { ...one, name } : []));
});
const contenders = [...builds, ...listFor(bench.ours).filter(({ name }) => name !== "floor")];
const measured: Measured[] = [];
for (const { name, start } of contenders)
	measured.push(await open(name, (model) => start(join(bench.folder, name), model)));
for (const one of measured) await checkContained(one, project);
for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
	for (const one of round % 2 === 0 ? measured : measured.toReversed()) {
		await runTurn(one, "command");
		await runTurn(one, "plan");
	}
}
const rows = measured.map(({ name, times, processor }) => {
	const [command, plan] = [median(times.command.slice(WARM_UP)), median(times.plan.slice(WARM_UP))];
	const [busy, idle] = [mean(processor.command.slice(-ROUNDS)), mean(processor.plan.slice(-ROUNDS))];
	return { name, command, plan, alone: command - plan, busy, idle };
});
const peer = rows.find(({ name }) => name === "peer");
const ratio = (ms: number, of: number | undefined): string => (of === undefined ? "" : (ms / of).toFixed(2));
console.log(`| a sandboxed ${COMMAND} in a turn, ${FILES} files, ${ROUNDS} rounds | median ms | × peer | an empty step | less that | × peer | processor | an empty step |
| --- | --- | --- | --- | --- | --- | --- | --- |`);
for (const { name, command, plan, alone, busy, idle } of rows) {
	const walls = [command.toFixed(1), ratio(command, peer?.command), plan.toFixed(1), alone.toFixed(1)];
	console.log(`| ${[name, ...walls, ratio(alone, peer?.alone), busy.toFixed(1), idle.toFixed(1)].join(" | ")} |`);
}
for (const { running, model } of measured) {
	await running.stop();
	await model.stop();
}
bench.remove();
