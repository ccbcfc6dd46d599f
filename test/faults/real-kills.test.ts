import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { createRandom } from "../support/crash.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { createGate, type Gate } from "../support/fake-model-gate.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, type Reply, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, type RpcError, runTurn } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { chooseMoment, createDoomedScript, type KillMoment, LAST_WORDS, passMicroseconds } from "../support/sigkill.ts";
import {
	assertCallsOnce,
	assertCounted,
	assertTurnsApart,
	describeTimes,
	durable,
	eventsOf,
	readRecords,
} from "../support/sigkill-checks.ts";
import {
	type KillWorld,
	killWithFamily,
	runLanes,
	waitForSearch,
	waitUntilGone,
	withHangingSearch,
	withKillWorld,
} from "../support/sigkill-world.ts";

const KILLS = process.env.VITRINE_FULL === "1" ? 200 : 8;
const LANES = 2;
const KILLS_A_THREAD = 10;
const HOST_ENDED = { code: "host-ended", message: "The agent host stopped before the turn was done." };

/** What the client knows of a thread, and must find again. */
interface Known {
	readonly threadId: ThreadId;
	/** Prompts in order; those that were not acknowledged may be gone. */
	readonly prompts: { readonly text: string; readonly turnId: TurnId | undefined }[];
	/** Durable events that any host has shown, by number. */
	readonly shown: Map<number, PublishedEvent>;
}

interface Lane {
	readonly kill: KillWorld;
	readonly model: FakeModel;
	readonly tally: Tally;
	readonly start: () => Promise<HostProcess>;
	answer: (request: RecordedRequest) => Reply;
	host: HostProcess;
	thread: Known | undefined;
}

interface Tally {
	kills: number;
	acknowledged: number;
	shown: number;
	interrupted: number;
	readonly recoveries: number[];
}

test(`after each of ${KILLS} real kills in mid-turn, no acknowledged record is lost and the thread continues`, (t) =>
	withKillWorld(t, async (kill) => {
		const tally: Tally = { kills: 0, acknowledged: 0, shown: 0, interrupted: 0, recoveries: [] };
		await runLanes(LANES, (index) => runLane(kill, tally, index + 1));
		t.diagnostic(
			`acknowledged records lost: 0 of ${tally.acknowledged + tally.shown} after ${tally.kills} kills (${tally.acknowledged} turns, ${tally.shown} events; ${tally.interrupted} turns cut off)`,
		);
		t.diagnostic(`recovery, from the kill to the whole thread read again: ${describeTimes(tally.recoveries)}`);
		assert.equal(tally.kills, KILLS);
		assert.ok(tally.interrupted > KILLS / 4, "most kills come in the middle of a turn");
	}));

async function runLane(kill: KillWorld, tally: Tally, seed: number): Promise<void> {
	const random = createRandom(seed);
	const model = await kill.model((request) => lane.answer(request));
	const start = () => kill.start(kill.specFor(model));
	const answer = () => says("Going on.");
	const lane: Lane = { kill, model, tally, start, answer, host: await start(), thread: undefined };
	for (let count = 0; count < KILLS / LANES; count += 1) {
		if (count % KILLS_A_THREAD === 0) lane.thread = undefined;
		const moment = chooseMoment(random);
		try {
			await killAndRecover(lane, `Prompt ${count} of lane ${seed}`, moment);
		} catch (error) {
			throw new Error(`seed ${seed}, kill ${count}: ${JSON.stringify(moment)}`, { cause: error });
		}
	}
}

async function killAndRecover(lane: Lane, prompt: string, moment: KillMoment): Promise<void> {
	const thread: Known = lane.thread ?? { threadId: await aThread(lane.host), prompts: [], shown: new Map() };
	const { turnId, died } = await killInTurn(lane, thread.threadId, prompt, moment);
	thread.prompts.push({ text: prompt, turnId });
	const before = thread.shown.size;
	for (const published of durable(lane.host.events(thread.threadId))) remember(thread, published);
	lane.tally.kills += 1;
	lane.tally.acknowledged += turnId === undefined ? 0 : 1;
	lane.tally.shown += thread.shown.size - before;

	lane.host = await lane.start();
	const events = await reopen(lane.host, thread);
	lane.tally.recoveries.push(performance.now() - died);
	lane.thread = events === undefined ? undefined : thread;
	if (events === undefined) return;
	lane.tally.interrupted += isInterrupted(events.at(-1)) ? 1 : 0;
	assertKept(thread, events, turnId);
	assert.deepEqual(eventsOf(readRecords(lane.kill.world.home, thread.threadId)), events);
	await goOn(lane, thread);
}

/** When the host was killed, and the id of the turn, when the client has got it. */
async function killInTurn(
	lane: Lane,
	threadId: ThreadId,
	text: string,
	moment: KillMoment,
): Promise<{ readonly turnId: TurnId | undefined; readonly died: number }> {
	const { host } = lane;
	const script = createDoomedScript(moment);
	lane.answer = script.answer;
	const before = host.events(threadId).length;
	const acknowledged = host.request(turnStart, { threadId, input: [{ kind: "text", text }] }).then(
		({ turnId }) => turnId,
		() => undefined,
	);
	// A turn may be over before its moment comes; then it is killed right after its end.
	const ended = host.waitFor(threadId, (event) => {
		const seen = host.events(threadId).length - before;
		return seen > 0 && (event.type === "turnCompleted" || (moment.kind === "event" && seen >= moment.count));
	});
	const isOver = ended.then(
		() => undefined,
		() => undefined,
	);
	await Promise.race([moment.kind === "time" ? passMicroseconds(moment.microseconds) : script.reached, isOver]);
	const died = performance.now();
	await killWithFamily(host);
	return { turnId: await acknowledged, died };
}

/** Nothing, when the host was killed before it had written, and acknowledged, a first turn. */
async function reopen(host: HostProcess, { threadId, prompts }: Known): Promise<readonly PublishedEvent[] | undefined> {
	try {
		await host.request(threadResume, { threadId });
	} catch (error) {
		const { kind } = (error as RpcError).data as { readonly kind: string };
		assert.ok(["thread-not-found", "thread-unreadable"].includes(kind), kind);
		assert.ok(
			prompts.every(({ turnId }) => turnId === undefined),
			"an acknowledged thread is gone",
		);
		return undefined;
	}
	return (await host.request(threadRead, { threadId, limit: 100_000 })).events;
}

function assertKept(thread: Known, events: readonly PublishedEvent[], killed: TurnId | undefined): void {
	assertCounted(
		events.map(({ seq }) => seq),
		"events",
	);
	for (const [seq, published] of thread.shown) assert.deepEqual(events[seq - 1], published, `event ${seq} was shown`);
	const asked = events.flatMap(({ event }) =>
		event.type === "itemCompleted" && event.item.kind === "userMessage" ? [[event.turnId, event.item.text]] : [],
	);
	for (const { turnId, text } of thread.prompts) {
		if (turnId !== undefined)
			assert.equal(asked.filter(([id, said]) => id === turnId && said === text).length, 1, text);
	}
	assertTurnsApart(events.map(({ event }) => event));
	const last = events.at(-1)?.event;
	assert.ok(last?.type === "turnCompleted");
	if (killed !== undefined) assert.equal(last.turnId, killed);
	if (last.status !== "completed") assert.deepEqual([last.status, last.error], ["interrupted", HOST_ENDED]);
	for (const { event } of events) {
		if (event.type === "itemCompleted" && event.item.kind === "agentMessage" && event.item.cut) {
			assert.ok(LAST_WORDS.startsWith(event.item.text), `text that nobody said: ${event.item.text}`);
		}
	}
	for (const published of events) remember(thread, published);
}

async function goOn(lane: Lane, thread: Known): Promise<void> {
	lane.answer = () => says("Going on.");
	const text = `After ${thread.prompts.at(-1)?.text}`;
	const { turnId, text: answer } = await runTurn(lane.host, thread.threadId, text);
	assert.equal(answer, "Going on.");
	thread.prompts.push({ text, turnId });
	for (const published of durable(lane.host.events(thread.threadId))) remember(thread, published);

	const request = lane.model.requests.at(-1) ?? assert.fail();
	const { input } = bodyOf(request);
	const ids = (type: string) => input.flatMap((item) => (item.type === type ? [item.call_id] : [])).sort();
	assert.deepEqual(ids("function_call_output"), ids("function_call"), "every call has one output");
	const said = inputLines(request).filter((line) => line.startsWith("user: "));
	const recorded = thread.prompts.filter(
		(prompt) => prompt.turnId !== undefined || said.includes(`user: ${prompt.text}`),
	);
	assert.deepEqual(
		said,
		recorded.map((prompt) => `user: ${prompt.text}`),
	);
	assertCallsOnce(readRecords(lane.kill.world.home, thread.threadId));
}

function remember({ shown }: Known, published: PublishedEvent): void {
	if (published.seq !== undefined) shown.set(published.seq, published);
}

function isInterrupted(published: PublishedEvent | undefined): boolean {
	return published?.event.type === "turnCompleted" && published.event.status === "interrupted";
}

test("an endless search dies with its killed host, and the next host does not run it again", (t) =>
	withKillWorld(t, async (kill) => {
		const model = await kill.model((_, index) => (index === 0 ? calls("search_files", { pattern: "x" }) : says("ok")));
		const spec = withHangingSearch(kill.world, kill.specFor(model));
		const host = await kill.start(spec);
		const threadId = await aThread(host);
		await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Search." }] });
		const family = await waitForSearch(host.pid);
		await host.killHard();
		await waitUntilGone(family);
		const next = await kill.start(spec);
		assert.equal((await runTurn(next, threadId, "And now?")).text, "ok");
		assertCallsOnce(readRecords(kill.world.home, threadId));
	}));

const STREAMS = 8;
const DRIP_MS = 20;
/** Text is written down twice a second, and comes in 25 pieces meanwhile; counted in pieces, since all of it is slower on a busy machine. */
const MOST_LOST = 50;
const PIECES = 70;

test(`of text streaming into ${STREAMS} threads, a kill loses at most the last ${MOST_LOST} pieces that a client saw`, (t) =>
	withKillWorld(t, async (kill) => {
		const drips = Array.from({ length: STREAMS }, aDrip);
		let asked = 0;
		const model = await startFakeModel(() => drips[asked++]?.reply);
		t.after(() => model.stop());
		const host = await kill.start(kill.specFor(model));
		const threads = await Promise.all(drips.map(() => aThread(host)));
		for (const threadId of threads) {
			await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Tell me a long story." }] });
		}
		const timer = setInterval(() => {
			for (const drip of drips) drip.release();
		}, DRIP_MS);
		t.after(() => clearInterval(timer));
		await Promise.all(
			threads.map((threadId) => host.waitFor(threadId, () => lengthsSeen(host, threadId).length >= PIECES)),
		);
		await killWithFamily(host);

		const next = await kill.start(kill.specFor(model));
		const lost: number[] = [];
		for (const threadId of threads) {
			await next.request(threadResume, { threadId });
			const { events } = await next.request(threadRead, { threadId });
			const [text = ""] = events.flatMap(({ event }) =>
				event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.text] : [],
			);
			assert.ok(drips[0]?.text.startsWith(text), "what is kept is what was said");
			const seen = lengthsSeen(host, threadId);
			lost.push(seen.filter((length) => length > text.length).length);
		}
		t.diagnostic(`pieces lost of ${PIECES} a stream: ${lost.join(", ")}`);
		assert.ok(Math.max(...lost) <= MOST_LOST, lost.join(", "));
	}));

/** A reply whose pieces come one at a time, whenever the test lets the next one go. */
function aDrip(): { readonly reply: Reply; readonly text: string; readonly release: () => void } {
	const words = Array.from({ length: 1_000 }, (_, index) => `word${index} `);
	const gates: readonly Gate[] = words.map(() => createGate());
	const pieces = words.flatMap((word, index) => [word, gates[index] ?? ""]);
	let next = 0;
	return {
		reply: { ...says(""), parts: [{ kind: "text", pieces }] },
		text: words.join(""),
		release: () => gates[next++]?.release(),
	};
}

/** How long the text was with each piece that the client has seen of it. */
function lengthsSeen(host: HostProcess, threadId: ThreadId): readonly number[] {
	return host
		.events(threadId)
		.flatMap(({ event }) => (event.type === "itemDelta" ? [event.offset + event.text.length] : []));
}
