import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { threadList, threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { eventually } from "../host/rig/files.ts";
import { treeOf } from "../host/rig/processes.ts";
import { createRandom } from "../support/crash.ts";
import {
	calls,
	cutsAfter,
	endsWithoutCompleted,
	fails,
	failsInStream,
	type Reply,
	type Step,
	says,
	sendsGarbage,
} from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess } from "../support/host-process.ts";
import { type KillWorld, withKillWorld } from "../support/sigkill-world.ts";

const IS_FULL = process.env.VITRINE_FULL === "1";
const TURNS = IS_FULL ? 10_000 : 200;
const SAMPLE_EVERY = IS_FULL ? 500 : 40;
/** What a host keeps for good, such as compiled code, is there by then. */
const WARM_UP = IS_FULL ? 1_000 : 80;
const PATIENCE_MS = 20_000;
const FAULT_EVERY = 20;
const TURNS_A_THREAD = 5;
const MOST_BYTES_A_TURN = 512;
/** In the short run the slope is within what one sample varies by. */
const MOST_GROWN_BYTES = IS_FULL ? 20_000_000 : 3_000_000;

interface Sample {
	readonly turn: number;
	readonly bytes: number;
	readonly timers: number;
	readonly files: number;
	readonly children: number;
}

test(`over ${TURNS} turns with faults, switches and reloads, a host leaks no memory, file, timer or child`, (t) =>
	withKillWorld(t, async (kill) => {
		const random = createRandom(51);
		let next: Step = says("Ok.");
		const model = await kill.model(() => {
			const step = next;
			next = says("Ok.");
			return step;
		});
		const { host, sample } = await startReporting(kill, kill.specFor(model));
		const threads: ThreadId[] = [];
		const samples: Sample[] = [];
		const started = performance.now();
		for (let turn = 1; turn <= TURNS; turn += 1) {
			const threadId = await chooseThread(host, threads, turn, random);
			const isFault = turn % FAULT_EVERY === 0;
			next = isFault ? (FAULTS[(turn / FAULT_EVERY) % FAULTS.length] ?? says("Ok.")) : plainStep(turn);
			await runOne(host, threadId, turn % 50 === 7);
			if (turn % 25 === 0) await host.request(threadRead, { threadId });
			if (turn % 100 === 0) await host.request(threadList, {});
			if (turn >= WARM_UP && turn % SAMPLE_EVERY === 0) samples.push(await sampleAtRest(sample, turn, samples[0]));
		}
		const seconds = (performance.now() - started) / 1_000;
		const slope = slopeOf(samples);
		const grown = (samples.at(-1)?.bytes ?? 0) - (samples[0]?.bytes ?? 0);
		t.diagnostic(
			`${TURNS} turns in ${seconds.toFixed(0)} s: ${slope.toFixed(0)} bytes a turn, ${(grown / 1e6).toFixed(2)} MB in all; ` +
				`files ${samples.map(({ files }) => files).join(" ")}; timers ${samples.map(({ timers }) => timers).join(" ")}`,
		);
		assert.ok(grown < MOST_GROWN_BYTES, `${grown} bytes`);
		if (IS_FULL) assert.ok(slope < MOST_BYTES_A_TURN, `${slope} bytes a turn`);
		assert.deepEqual(
			readdirSync(join(kill.world.home, "threads")).filter((name) => /\.(new|incoming|intact)/.test(name)),
			[],
		);
	}));

const FAULTS: readonly Step[] = [
	cutsAfter("Cut in the middle.", 700),
	fails(500),
	endsWithoutCompleted("No end."),
	failsInStream("server_error"),
	sendsGarbage(),
	calls("read_file", "{not json"),
	calls("read_file", { path: "/etc/passwd" }),
];

function plainStep(turn: number): Reply {
	return turn % 5 === 0 ? calls("list_files", { path: "." }) : says(`Answer ${turn}, in a few words.`);
}

/** A new thread every so often, and now and then one that was used before. */
async function chooseThread(
	host: HostProcess,
	threads: ThreadId[],
	turn: number,
	random: () => number,
): Promise<ThreadId> {
	const isNew = threads.length === 0 || turn % TURNS_A_THREAD === 0;
	if (isNew) threads.push(await aThread(host));
	// Old ones get no longer for ever: a history is sent whole, so it would be the history that grows.
	if (!isNew && turn % 10 === 3)
		return threads[Math.max(0, threads.length - 1 - Math.floor(random() * 30))] as ThreadId;
	return threads.at(-1) as ThreadId;
}

async function runOne(host: HostProcess, threadId: ThreadId, isInterrupted: boolean): Promise<void> {
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go on." }] });
	if (isInterrupted) await host.request(turnInterrupt, { threadId });
	await endOfTurn(host, threadId, turnId);
}

const MOST_MORE_FILES = 2;
const MOST_MORE_TIMERS = 1;

/**
 * A sample once the host has let go of what its last turn needed, which takes a moment: no child, and no more files and timers than in the
 * first sample. What it keeps for good it never lets go of.
 */
async function sampleAtRest(
	sample: (turn: number) => Promise<Sample>,
	turn: number,
	first: Sample | undefined,
): Promise<Sample> {
	let now = await sample(turn);
	const isAtRest = () =>
		now.children === 0 &&
		now.files <= (first?.files ?? now.files) + MOST_MORE_FILES &&
		now.timers <= (first?.timers ?? now.timers) + MOST_MORE_TIMERS;
	const start = performance.now();
	while (!isAtRest()) {
		const grown = `the host keeps files, timers or children: ${JSON.stringify({ first, now })}`;
		assert.ok(performance.now() < start + PATIENCE_MS, grown);
		await pause(100);
		now = await sample(turn);
	}
	return now;
}

async function startReporting(
	kill: KillWorld,
	spec: Parameters<KillWorld["start"]>[0],
): Promise<{ readonly host: HostProcess; readonly sample: (turn: number) => Promise<Sample> }> {
	const file = join(kill.world.root, "memory.json");
	const preload = pathToFileURL(join(import.meta.dirname, "report-memory.ts")).href;
	const env = { ...spec.env, NODE_OPTIONS: `--expose-gc --import ${preload}`, VITRINE_MEMORY_REPORT: file };
	const host = await kill.start({ ...spec, env });
	const sample = async (turn: number): Promise<Sample> => {
		rmSync(file, { force: true });
		process.kill(host.pid, "SIGUSR2");
		await eventually(() => existsSync(file) && readFileSync(file, "utf8").endsWith("}"), 5_000, "no report");
		const { bytes, timers } = JSON.parse(readFileSync(file, "utf8")) as Pick<Sample, "bytes" | "timers">;
		const files = readdirSync(`/proc/${host.pid}/fd`).length;
		return { turn, bytes, timers, files, children: treeOf(host.pid).length - 1 };
	};
	return { host, sample };
}

/** Bytes a turn, as the line that fits the samples best. */
function slopeOf(samples: readonly Sample[]): number {
	const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const [turn, bytes] = [mean(samples.map((one) => one.turn)), mean(samples.map((one) => one.bytes))];
	const rise = samples.reduce((sum, one) => sum + (one.turn - turn) * (one.bytes - bytes), 0);
	const run = samples.reduce((sum, one) => sum + (one.turn - turn) ** 2, 0);
	return rise / run;
}
