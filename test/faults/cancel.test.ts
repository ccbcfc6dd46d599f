import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { threadStart } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { MAX_UNSENT_CHARS } from "../../agent-host/surfaces/editor/outbox.ts";
import { cpuOf, diskOf, memoryOf } from "../bench/measures.ts";
import { eventually, textUnder } from "../host/rig/files.ts";
import { describeProcess, hasWork, isKilled, nameOf } from "../host/rig/processes.ts";
import type { World } from "../support/canaries.ts";
import { createRandom } from "../support/crash.ts";
import { settlesInFairTime } from "../support/fair-time.ts";
import type { FakeModel, Script } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, floods, hangs, type Reply, type Step, says, together } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { chooseMoment, createDoomedScript, type KillMoment, passMicroseconds } from "../support/sigkill.ts";
import {
	assertCallsOnce,
	assertTurnsApart,
	describeTimes,
	eventsOf,
	percentile,
	readRecords,
} from "../support/sigkill-checks.ts";
import {
	type KillWorld,
	waitForSearch,
	waitUntilGone,
	withHangingSearch,
	withKillWorld,
	withRoom,
} from "../support/sigkill-world.ts";
import { type ClientHabits, type StallingClient, startStallingClient } from "./stalling-client.ts";

const INTERRUPTS = process.env.VITRINE_FULL === "1" ? 1_000 : 8;
const INTERRUPTS_A_THREAD = 10;
/** So many of the shortest turns there are, one after each interrupt, take longer than the interrupt; `npm run bench` has it in milliseconds. */
const MOST_TURNS = 10;

interface Interrupted {
	readonly kill: KillWorld;
	readonly host: HostProcess;
	readonly model: FakeModel;
	answer: (request: RecordedRequest) => Reply;
}

test(`at any of ${INTERRUPTS} moments an interrupt is answered once the turn ended on disk, within the time of ${MOST_TURNS} short turns`, (t) =>
	withKillWorld(t, async (kill) => {
		const model = await kill.model((request) => run.answer(request));
		const host = await kill.start(kill.specFor(model));
		const run: Interrupted = { kill, host, model, answer: () => says("Going on.") };
		const random = createRandom(7);
		const [times, turns]: [number[], number[]] = [[], []];
		const ends = { interrupted: 0, completed: 0 };
		let threadId = await aThread(host);
		for (let count = 0; count < INTERRUPTS; count += 1) {
			if (count % INTERRUPTS_A_THREAD === 0) threadId = await aThread(host);
			const moment = chooseMoment(random);
			try {
				const { took, turnTook, status } = await interruptOnce(run, threadId, moment);
				times.push(took);
				turns.push(turnTook);
				ends[status] += 1;
			} catch (error) {
				throw new Error(`interrupt ${count}: ${JSON.stringify(moment)}`, { cause: error });
			}
		}
		t.diagnostic(
			`violations: 0 in ${INTERRUPTS} interrupts (${JSON.stringify(ends)}); answered: ${describeTimes(times)}; short turns: ${describeTimes(turns)}`,
		);
		assert.ok(ends.interrupted > INTERRUPTS / 2);
		for (const percent of [50, 95]) {
			const [took, turn] = [percentile(times, percent), percentile(turns, percent)];
			assert.ok(took < MOST_TURNS * turn, `p${percent}: ${took} ms, and ${turn} ms for a turn`);
		}
	}));

async function interruptOnce(
	run: Interrupted,
	threadId: ThreadId,
	moment: KillMoment,
): Promise<{ readonly took: number; readonly turnTook: number; readonly status: "interrupted" | "completed" }> {
	const { host, model, kill } = run;
	const script = createDoomedScript(moment);
	run.answer = script.answer;
	const asked = model.requests.length;
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Look around." }] });
	await reach(host, threadId, turnId, script.reached, moment);
	const sent = performance.now();
	await host.request(turnInterrupt, { threadId });
	const took = performance.now() - sent;

	const published = host.events(threadId).length;
	const records = readRecords(kill.world.home, threadId);
	const end = eventsOf(records).at(-1)?.event;
	assert.ok(end?.type === "turnCompleted" && end.turnId === turnId, "the end is on disk before the reply");
	assert.ok(end.status !== "failed" && end.error === undefined, JSON.stringify(end));
	const requests = model.requests.slice(asked);
	const stream = (index: number) => `request ${index + 1} of ${requests.length} is still open at the server`;
	for (const [index, { closed }] of requests.entries()) await settlesInFairTime(closed, 1_000, () => stream(index));

	run.answer = () => says("Going on.");
	const began = performance.now();
	assert.equal((await runTurn(host, threadId, "Go on.")).text, "Going on.");
	const turnTook = performance.now() - began;
	assert.equal(model.requests.length, asked + requests.length + 1, "no request of an interrupted turn comes later");
	const later = host.events(threadId).slice(published);
	assert.deepEqual(
		later.filter(({ event }) => "turnId" in event && event.turnId === turnId),
		[],
	);
	const all = readRecords(kill.world.home, threadId);
	assert.deepEqual(all.slice(0, records.length), records);
	assertTurnsApart(eventsOf(all).map(({ event }) => event));
	assertCallsOnce(all);
	return { took, turnTook, status: end.status };
}

async function reach(
	host: HostProcess,
	threadId: ThreadId,
	turnId: TurnId,
	reached: Promise<void>,
	moment: KillMoment,
): Promise<void> {
	if (moment.kind === "time") return passMicroseconds(moment.microseconds);
	const ofTurn = () => host.events(threadId).filter(({ event }) => "turnId" in event && event.turnId === turnId);
	const seen = host.waitFor(
		threadId,
		(event) =>
			(event.type === "turnCompleted" && event.turnId === turnId) ||
			(moment.kind === "event" && ofTurn().length >= moment.count),
	);
	await Promise.race([reached, seen]);
}

test("an interrupt ends an endless search with all its processes before it is answered", (t) =>
	withKillWorld(t, async (kill) => {
		const model = await kill.model(() => calls("search_files", { pattern: "x" }));
		const host = await kill.start(withHangingSearch(kill.world, kill.specFor(model)));
		const threadId = await aThread(host);
		await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Search." }] });
		const search = (await waitForSearch(host.pid)).filter((name) => name !== nameOf(host.pid));
		assert.ok(search.length > 1, "bubblewrap and what it contains");
		await host.request(turnInterrupt, { threadId });
		const spared = search.filter((name) => !isKilled(name));
		assert.deepEqual(spared.map(describeProcess), []);
		await waitUntilGone(search);
		assert.equal(model.requests.length, 1);
	}));

test("an interrupt ends a turn whose client has not answered the request for the key", (t) =>
	withClient(t, { answersKey: "never" }, [hangs()], async (client) => {
		const { threadId } = await client.request(threadStart, {});
		await client.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await eventually(() => client.keyRequests() > 0, 5_000, "the host does not ask for a key");
		const stopped = client.request(turnInterrupt, { threadId });
		await settlesInFairTime(stopped, 2_000, () => "the turn cannot be interrupted");
		const end = client.events.at(-1)?.event;
		assert.ok(end?.type === "turnCompleted");
		assert.equal(end.status, "interrupted");
	}));

const RESPONSE_CHARS = 1_900_000;
const WORD = "a word of the model's, neither long nor short, as they come by the thousand ";
/** What the host may take from the model for a client that does not read: what it keeps for it, and what lies in pipes. */
const TAKEN_CHARS = 1.5 * MAX_UNSENT_CHARS;
const STALLED_MB = 100;

test(`with a stalled client, the host takes less than ${TAKEN_CHARS} of ${RESPONSE_CHARS} characters, in ${STALLED_MB} MB, and can be interrupted`, (t) => {
	const step: Step = { ...floods(RESPONSE_CHARS / WORD.length, WORD), prerendered: false };
	return withClient(t, { answersKey: "at once" }, [step], async (client, { world }) => {
		const { threadId } = await client.request(threadStart, {});
		await client.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await eventually(() => client.events.some(({ event }) => event.type === "itemDelta"), 5_000, "no delta");
		client.stall();
		const memory = watchMemory(t, client.pid);
		const size = () => diskOf(world.home);
		await atRest(client.pid, () => [size(), Math.round(memory.now())]);
		t.diagnostic(`taken while nobody read: ${size()} bytes on disk; memory grew by ${memory.grown().toFixed(0)} MB`);
		assert.ok(size() < TAKEN_CHARS, `${size()} bytes`);
		assert.ok(memory.grown() < STALLED_MB, `memory grew by ${memory.grown()} MB`);

		const sent = performance.now();
		const stopped = client.request(turnInterrupt, { threadId });
		// The client still does not read, so the end can only be seen on the disk.
		await eventually(() => textUnder(world.home).includes('"turnCompleted"'), 5_000, "the turn does not end");
		t.diagnostic(`on disk ${(performance.now() - sent).toFixed(0)} ms after the interrupt`);
		client.readAgain();
		await stopped;
		const text = client.events.map(({ event }) => (event.type === "itemDelta" ? event.text : "")).join("");
		const said = client.events.findLast(({ event }) => event.type === "itemCompleted")?.event;
		assert.ok(said?.type === "itemCompleted" && said.item.kind === "agentMessage" && said.item.cut === true);
		assert.ok(said.item.text === text && WORD.repeat(RESPONSE_CHARS / WORD.length).startsWith(text));
		assert.equal(client.events.at(-1)?.event.type, "turnCompleted");
	});
});

test("a client that resumes reading after a pause gets the whole response, and the turn completes", (t) => {
	const long = floods(20_000, WORD);
	const step: Step = { ...together(long, calls("list_files", { path: "." })), prerendered: false };
	return withClient(t, { answersKey: "at once" }, [step, says("Done.")], async (client, { world, model }) => {
		const { threadId } = await client.request(threadStart, {});
		await client.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await model.requestNumber(1);
		client.stall();
		await atRest(client.pid, () => [diskOf(world.home)]);
		assert.equal(model.requests.length, 1);
		client.readAgain();
		await model.requestNumber(2);
		const last = () => client.events.at(-1)?.event.type;
		await eventually(() => last() === "turnCompleted", 20_000, "the turn does not end", last);
		const text = client.events.map(({ event }) => (event.type === "itemDelta" ? event.text : "")).join("");
		assert.equal(text, `${long.text}Done.`);
	});
});

/** Longer than any pause that the host makes by itself: text is written down twice a second. */
const REST_MS = 1_000;

/** Resolves when a process has had nothing to do for a while, and figures of it stayed the same. One that waits for a processor has. */
async function atRest(pid: number, figures: () => readonly number[]): Promise<void> {
	let last = { seen: "", at: 0 };
	const isAtRest = () => {
		const seen = [...figures(), cpuOf(pid)].join(" ");
		if (seen !== last.seen || hasWork(pid)) last = { seen, at: performance.now() };
		return performance.now() - last.at > REST_MS;
	};
	await eventually(isAtRest, 20_000, "the host never comes to rest", () => last.seen);
}

interface MemoryWatch {
	readonly now: () => number;
	/** The most MB since the watch began. */
	readonly grown: () => number;
}

function watchMemory(t: TestContext, pid: number): MemoryWatch {
	const before = memoryOf(pid);
	let most = before;
	const look = () => {
		const now = memoryOf(pid);
		most = Math.max(most, now);
		return now;
	};
	const timer = setInterval(look, 20);
	t.after(() => clearInterval(timer));
	return { now: look, grown: () => most - before };
}

async function withClient(
	t: TestContext,
	habits: ClientHabits,
	script: Script,
	body: (client: StallingClient, around: { readonly world: World; readonly model: FakeModel }) => Promise<void>,
): Promise<void> {
	await withKillWorld(t, async (kill) => {
		const model = await kill.model(script);
		const client = await startStallingClient(withRoom(kill.specFor(model)), habits);
		try {
			await body(client, { world: kill.world, model });
		} finally {
			await client.stop();
		}
	});
}
