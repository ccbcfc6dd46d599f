// Measures what it takes to start a sub-agent, beside a new thread, and what a turn costs beside seven others, and prints a table.
// Usage: node test/bench/agents.ts, after npm run build
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { threadStart } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, holds, type Step, says } from "../support/fake-model-steps.ts";
import { endOfTurn, HOST_BUNDLE, type HostProcess, startHost } from "../support/host-process.ts";
import { printTable } from "./figures.ts";
import { type Bench, openBench, specOf } from "./subject.ts";
import { rowOf, spreadRowOf } from "./table.ts";

const ROUNDS = 21;
const AT_ONCE = 8;
const TURNS_EACH = 12;
/** How long the model takes over an answer, from and to: still short for a real one, so that turns meet often. */
const MODEL_MS = [300, 900] as const;
/** The same for all, so that eight turns always begin and end at the same moment: the worst that can be. */
const IN_STEP_MS = [300, 300] as const;

/** By then a host has loaded what its first turns need. */
const SETTLED_MS = 4_000;

const GOLDEN = 0.618_034;

const bench = await openBench();
try {
	const starts = await measureStarts(bench);
	const alone = await measureTurns(bench, 1, MODEL_MS);
	const together = await measureTurns(bench, AT_ONCE, MODEL_MS);
	const inStep = await measureTurns(bench, AT_ONCE, IN_STEP_MS);
	const pauses = await measurePauses(bench);
	const unit = "ms";
	const aim = "≤ 2 ×";
	printTable([
		rowOf({ measure: "new thread → its first request; sub-agent → its own", ...starts, unit, aim }),
		rowOf({ measure: `overhead of a turn: alone; one of ${AT_ONCE}`, floor: alone, ours: together, unit, aim }),
		spreadRowOf({ measure: "the same: median / 95 % / worst", floor: alone, ours: together, unit, aim }),
		rowOf({ measure: "all of them at the same moment", floor: alone, ours: inStep, unit, aim: "" }),
		{
			measure: `pauses of the event loop with ${AT_ONCE} threads: 99 % / longest`,
			floor: "",
			ours: `${pauses.most.toFixed(1)} / ${pauses.longest.toFixed(1)} ms`,
			aim: "< 20 ms",
		},
		{
			measure: "most processor that the host used between two of its ticks",
			floor: "",
			ours: `${pauses.used.toFixed(1)} ms`,
			aim: "< 20 ms",
		},
	]);
} finally {
	bench.remove();
}

/** Milliseconds until the first request of a new thread, and of a sub-agent since the model has asked for one. */
async function measureStarts(bench: Bench): Promise<{ readonly floor: number[]; readonly ours: number[] }> {
	let step: (request: RecordedRequest) => Step = () => says("ok");
	return withHost(
		bench,
		(request) => step(request),
		async (host, model) => {
			const taken: { floor: number[]; ours: number[] } = { floor: [], ours: [] };
			for (let round = 0; round < ROUNDS; round += 1) {
				step = () => says("ok");
				const sent = performance.now();
				const number = model.requests.length + 1;
				await runTurn(host, await begin(host), "Look.");
				taken.floor.push((await model.requestNumber(number)).at - sent);
				step = (request) => {
					if (isOfAgent(request) || /function_call_output/.test(request.text)) return says("ok");
					return calls("start_agent", { name: "scout", role: "explore", task: "Look." });
				};
				const from = model.requests.length;
				await runTurn(host, await begin(host), "Start one.");
				const made = model.requests.slice(from);
				const asked = made[0]?.answeredAt ?? Number.NaN;
				taken.ours.push((made.find(isOfAgent)?.at ?? Number.NaN) - asked);
			}
			return taken;
		},
	);
}

/** Milliseconds of each turn that the model did not take, with so many threads working at once. */
async function measureTurns(
	bench: Bench,
	threads: number,
	[least, most]: readonly [least: number, most: number],
	env: Readonly<Record<string, string>> = {},
): Promise<readonly number[]> {
	let answers = 0;
	const answer = (): Step => {
		const held = holds("o", "k");
		answers += 1;
		// The same every time, and spread over the whole range.
		setTimeout(held.release, least + ((answers * GOLDEN) % 1) * (most - least));
		return held;
	};
	return withHost(
		bench,
		answer,
		async (host, model) => {
			const each = Array.from({ length: threads }, async (_, index) => {
				const threadId = await begin(host);
				const times: number[] = [];
				for (let turn = 0; turn < TURNS_EACH; turn += 1) {
					const prompt = `Question ${turn} of ${index}.`;
					const took = await runTurn(host, threadId, prompt);
					const request = model.requests.findLast(({ text }) => text.includes(prompt));
					times.push(took - ((request?.answeredAt ?? Number.NaN) - (request?.at ?? Number.NaN)));
				}
				// The first turn of a host loads what later ones have.
				return times.slice(2);
			});
			return (await Promise.all(each)).flat();
		},
		env,
	);
}

/** In milliseconds. */
interface Pauses {
	readonly most: number;
	readonly longest: number;
	/** Of the processor: what is left of a pause if nothing else wanted it. */
	readonly used: number;
}

/** How long the event loop stood still while eight threads worked; the start is left out. */
async function measurePauses(bench: Bench): Promise<Pauses> {
	const [watch, out] = [join(bench.folder, "watch-loop.mjs"), join(bench.folder, "pauses.json")];
	writeFileSync(
		watch,
		`import { monitorEventLoopDelay } from "node:perf_hooks";
import { writeFileSync } from "node:fs";
const delay = monitorEventLoopDelay({ resolution: 1 });
let used = 0;
setTimeout(() => {
	delay.enable();
	let before = process.threadCpuUsage();
	setInterval(() => {
		const { user, system } = process.threadCpuUsage(before);
		used = Math.max(used, (user + system) * 1000);
		before = process.threadCpuUsage();
	}, 1).unref();
}, ${SETTLED_MS}).unref();
const read = () => JSON.stringify([delay.percentile(99), delay.max, used]);
process.on("exit", () => writeFileSync(${JSON.stringify(out)}, read()));
`,
	);
	await measureTurns(bench, AT_ONCE, MODEL_MS, { NODE_OPTIONS: `--import=${watch}` });
	const [most = 0, longest = 0, used = 0] = JSON.parse(readFileSync(out, "utf8")) as readonly number[];
	return { most: most / 1e6, longest: longest / 1e6, used: used / 1e6 };
}

async function withHost<T>(
	bench: Bench,
	script: (request: RecordedRequest) => Step,
	body: (host: HostProcess, model: FakeModel) => Promise<T>,
	env: Readonly<Record<string, string>> = {},
): Promise<T> {
	const model = await startFakeModel(script);
	const spec = specOf(bench, HOST_BUNDLE, model);
	const host = await startHost({ ...spec, env: { ...spec.env, ...env } });
	try {
		return await body(host, model);
	} finally {
		await host.close();
		await model.stop();
	}
}

async function begin(host: HostProcess) {
	return (await host.request(threadStart, {})).threadId;
}

/** Milliseconds from the prompt to the turn's end. */
async function runTurn(host: HostProcess, threadId: Awaited<ReturnType<typeof begin>>, text: string): Promise<number> {
	const sent = performance.now();
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text }] });
	await endOfTurn(host, threadId, turnId);
	return performance.now() - sent;
}

function isOfAgent({ text }: RecordedRequest): boolean {
	return text.includes("<agent_role name=");
}
