import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { createRandom } from "../support/crash.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { within } from "../support/fake-model-wait.ts";
import { CODE_CACHE, type HostSpec, runTurn } from "../support/host-process.ts";
import {
	chooseMoment,
	createDoomedScript,
	type DoomedScript,
	type KillMoment,
	passMicroseconds,
} from "../support/sigkill.ts";
import {
	assertCallsOnce,
	assertTurnsApart,
	describeTimes,
	durable,
	eventsOf,
	readRecords,
} from "../support/sigkill-checks.ts";
import {
	familyOf,
	type KillWorld,
	runLanes,
	waitForSearch,
	waitUntilGone,
	withHangingSearch,
	withKillWorld,
} from "../support/sigkill-world.ts";
import type { ParentLine } from "./doomed-parent.ts";

const POINTS = process.env.VITRINE_FULL === "1" ? 100 : 4;
const LANES = 2;
const PATIENCE_MS = 20_000;

/** A parent with its host, and what it has printed so far. */
interface Parent {
	readonly process: ChildProcess;
	readonly closed: Promise<unknown>;
	readonly pid: number;
	readonly threadId: ThreadId;
	readonly turnId: () => TurnId | undefined;
	readonly events: () => readonly PublishedEvent[];
	/** Resolves when so many events of the turn were printed, or the turn is over. */
	readonly seen: (count: number) => Promise<void>;
}

for (const transport of ["stdio", "ipc"] as const) {
	test(`when its parent over ${transport} is killed, at ${POINTS / 2} moments of a turn, the host ends the turn on disk and exits soon`, (t) =>
		withKillWorld(t, async (kill) => {
			const times: number[] = [];
			const ends: Record<string, number> = {};
			const seed = transport === "ipc" ? 100 : 200;
			await runLanes(LANES, async (lane) => {
				const random = createRandom(seed + lane);
				for (let point = lane; point < POINTS / 2; point += LANES) {
					const moment = chooseMoment(random);
					try {
						const { took, end } = await killParent(t, kill, transport, moment);
						times.push(took);
						ends[end] = (ends[end] ?? 0) + 1;
					} catch (error) {
						throw new Error(`point ${point}: ${JSON.stringify(moment)}`, { cause: error });
					}
				}
			});
			t.diagnostic(`orphans: 0, lost: 0 in ${times.length} deaths of the parent (${JSON.stringify(ends)})`);
			t.diagnostic(`host and all it started gone: ${describeTimes(times)}`);
		}));
}

for (const transport of ["stdio", "ipc"] as const) {
	test(`when its parent over ${transport} is killed, an endless search exits soon`, (t) =>
		withKillWorld(t, async (kill) => {
			const model = await kill.model(() => calls("search_files", { pattern: "x" }));
			const spec = withHangingSearch(kill.world, kill.specFor(model));
			const parent = await startParent(t, { ...spec, transport });
			const family = await waitForSearch(parent.pid);
			parent.process.kill("SIGKILL");
			await waitUntilGone(family);
			const end = eventsOf(readRecords(kill.world.home, parent.threadId)).at(-1)?.event;
			assert.ok(end?.type === "turnCompleted");
			assert.deepEqual([end.status, end.error?.code], ["interrupted", "host-ended"]);
		}));
}

async function killParent(
	t: TestContext,
	kill: KillWorld,
	transport: "stdio" | "ipc",
	moment: KillMoment,
): Promise<{ readonly took: number; readonly end: string }> {
	const script = createDoomedScript(moment);
	let isAlive = true;
	const model = await kill.model((request) => (isAlive ? script.answer(request) : says("Going on.")));
	const parent = await startParent(t, { ...kill.specFor(model), transport });
	await reach(parent, script, moment);
	const family = familyOf(parent.pid);
	const killed = performance.now();
	parent.process.kill("SIGKILL");
	await waitUntilGone(family);
	const took = performance.now() - killed;
	// What it had printed is read to its end.
	await parent.closed;
	isAlive = false;
	const end = await checkLeft(kill, parent, model);
	return { took, end };
}

async function reach(parent: Parent, script: DoomedScript, moment: KillMoment): Promise<void> {
	if (moment.kind === "time") return passMicroseconds(moment.microseconds);
	const most = moment.kind === "event" ? moment.count : Number.POSITIVE_INFINITY;
	await within(Promise.race([script.reached, parent.seen(most)]), PATIENCE_MS, () => "the moment did not come");
}

/** How the turn ended, as the file says: with the host's last breath, not with the help of the next host. */
async function checkLeft(kill: KillWorld, parent: Parent, model: FakeModel): Promise<string> {
	const { threadId } = parent;
	const turnId = parent.turnId();
	// Killed before its turn was acknowledged: there is nothing that would have to be there.
	if (turnId === undefined) return "not acknowledged";
	const records = readRecords(kill.world.home, threadId);
	const events = eventsOf(records);
	assert.deepEqual(events.slice(0, durable(parent.events()).length), durable(parent.events()));
	assertTurnsApart(events.map(({ event }) => event));
	assertCallsOnce(records);
	const last = events.at(-1)?.event;
	assert.ok(last?.type === "turnCompleted" && last.turnId === turnId);
	if (last.status !== "completed") assert.deepEqual([last.status, last.error?.code], ["interrupted", "host-ended"]);

	const host = await kill.start(kill.specFor(model));
	assert.deepEqual(
		(await host.request(threadRead, { threadId })).events,
		events,
		"the next host has nothing to repair",
	);
	assert.equal((await runTurn(host, threadId, "And now?")).text, "Going on.");
	await host.close();
	return last.status;
}

async function startParent(t: TestContext, spec: HostSpec): Promise<Parent> {
	const script = join(import.meta.dirname, "doomed-parent.ts");
	const child = spawn(process.execPath, [script, JSON.stringify(spec)], {
		env: { PATH: process.env.PATH, ...inherited(), ...spec.env },
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => child.kill("SIGKILL"));
	const closed = once(child, "close");
	const started = Promise.withResolvers<Extract<ParentLine, { kind: "started" }>>();
	const events: PublishedEvent[] = [];
	const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
	let turnId: TurnId | undefined;
	createInterface(child.stdout).on("line", (text) => {
		const line = JSON.parse(text) as ParentLine;
		if (line.kind === "started") started.resolve(line);
		else if (line.kind === "acknowledged") turnId = line.turnId;
		else events.push(line.published);
		const isOver = events.at(-1)?.event.type === "turnCompleted";
		for (const { count, resolve } of waiting) if (isOver || events.length >= count) resolve();
	});
	once(child, "exit").then(
		() => started.reject(new Error("The parent ended before its host had started.")),
		started.reject,
	);
	const { pid, threadId } = await within(started.promise, PATIENCE_MS, () => "the parent's host did not start");
	return {
		process: child,
		closed,
		pid,
		threadId,
		turnId: () => turnId,
		events: () => events,
		seen: (count) => new Promise((resolve) => waiting.push({ count, resolve })),
	};
}

/** What a run of tests has told this process and its parents of hosts need too. */
function inherited(): Record<string, string> {
	const { VITRINE_HOST_BUNDLE } = process.env;
	return {
		...(VITRINE_HOST_BUNDLE === undefined ? {} : { VITRINE_HOST_BUNDLE }),
		// One that can be written, so that not every parent compiles everything again.
		NODE_COMPILE_CACHE: CODE_CACHE,
		VITRINE_HOST_CACHE: CODE_CACHE,
	};
}
