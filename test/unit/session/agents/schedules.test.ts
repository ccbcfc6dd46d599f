import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditorModels } from "../../../../agent-host/model/wires/editor/editor.ts";
import type { AgentReport } from "../../../../agent-host/protocol/agent.ts";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../../../agent-host/protocol/thread/events.ts";
import type { Session } from "../../../../agent-host/session/session.ts";
import { decodeRecord } from "../../../../agent-host/store/records/record.ts";
import { checkRights, pickNumber, scriptFor, settingsFor } from "../../../host/rig/random-agents.ts";
import { afterKill } from "../../../support/crash.ts";
import type { Step } from "../../../support/fake-model-steps.ts";
import { within } from "../../../support/fake-model-wait.ts";
import { createMemoryDisk, type MemoryDisk } from "../../../support/memory-disk.ts";
import { aSession } from "../../../support/memory-session.ts";

const SCHEDULES = process.env.VITRINE_FULL === "1" ? 1_000 : 12;
/** When to give up on a schedule that does not end; one takes a fraction of a second. */
const STUCK_MS = 60_000;
/** Turns of the event loop that an answer takes at most, so that agents overtake each other. */
const MAX_DELAY = 6;

type Events = ReadonlyMap<ThreadId, readonly PublishedEvent[]>;

test(`in ${SCHEDULES} random schedules no item is lost, no agent has wider rights than its parent, and every turn ends`, async (t) => {
	let [agents, events] = [0, 0];
	for (let seed = 1; seed <= SCHEDULES; seed += 1) {
		const played = await playSchedule(seed);
		agents += played.size - 1;
		for (const own of played.values()) events += own.length;
	}
	t.diagnostic(`${agents} agents, ${events} events`);
	assert.ok(agents > SCHEDULES, `only ${agents} agents`);
});

test(`in ${SCHEDULES} random schedules killed at a random write and resumed, a thread costs what its agents spent`, async (t) => {
	let late = 0;
	for (let seed = 1; seed <= SCHEDULES; seed += 1) late += await playKilled(seed);
	t.diagnostic(`${late} tokens of agents after the last answer of their thread`);
	assert.ok(late > 0, "no schedule was killed while agents worked");
});

/** Returns what agents had spent since the thread's last own record of it. */
async function playKilled(seed: number): Promise<number> {
	const disk = createMemoryDisk();
	const whole = await playSchedule(seed, disk);
	const [threadId = assert.fail()] = whole.keys();
	assert.equal(lastSum(whole.get(threadId)), tokensIn(whole), `seed ${seed}: it does not add up`);
	const kill = 1 + pickNumber(seed, "kill", disk.operations.length - 1);
	const killed = createMemoryDisk(afterKill(disk.operations.slice(0, kill), Infinity));
	const recorded = await readLogs(killed);
	const { session, published } = await aPlayer(seed + SCHEDULES, killed);
	const after = await session.threads.open(threadId).catch(() => undefined);
	// Its first records were not written yet.
	if (after === undefined || !recorded.has(threadId)) return 0;
	const sum = after.state().spent?.tokens ?? 0;
	assert.ok(sum >= tokensIn(recorded), `seed ${seed}: ${sum} of ${tokensIn(recorded)} tokens`);
	assert.ok(sum <= tokensIn(whole), `seed ${seed}: ${sum} tokens, and ${tokensIn(whole)} at the end`);
	await session.startTurn({ threadId, input: [{ kind: "text", text: "Go on." }] });
	await within(after.running?.ended ?? Promise.resolve(), STUCK_MS, () => `seed ${seed}: the turn does not end`);
	await session.close();
	assert.equal(lastSum(published.get(threadId)), sum + tokensIn(published), `seed ${seed}: not after the kill`);
	return sum - lastSum(recorded.get(threadId));
}

/** A thread's spending according to its last record of it. */
function lastSum(events: readonly Pick<PublishedEvent, "event">[] = []): number {
	const sums = events.flatMap(({ event }) => ("spent" in event ? [event.spent?.thread.tokens ?? 0] : []));
	return Math.max(0, ...sums);
}

function tokensIn(threads: ReadonlyMap<ThreadId, readonly Pick<PublishedEvent, "event">[]>): number {
	const events = [...threads.values()].flat();
	return events.reduce((sum, { event }) => sum + (event.type === "usage" ? event.last.total : 0), 0);
}

async function readLogs(disk: MemoryDisk) {
	const names = await disk.list("/home/threads").catch(() => []);
	const ids = names.flatMap((name) => /^(.*)\.jsonl$/.exec(name)?.[1] ?? []).map((id) => ThreadId.parse(id));
	return new Map(await Promise.all(ids.map(async (id) => [id, await readLog(disk, id)] as const)));
}

async function aPlayer(
	seed: number,
	disk: MemoryDisk,
): Promise<{ readonly session: Session; readonly published: Events }> {
	const published = new Map<ThreadId, PublishedEvent[]>();
	const { session } = await aSession(disk, {
		settings: { model: { provider: "editor", id: "fake-1", contextWindow: 1_000_000 } },
		editorModels: randomModel(seed),
		ask: async ({ digest, turnId }) => ({ decision: pickNumber(seed, turnId, 2) === 0 ? "allow" : "deny", digest }),
		published: (event, threadId) => {
			if (event.seq !== undefined) published.set(threadId, [...(published.get(threadId) ?? []), event]);
		},
	});
	return { session, published };
}

async function playSchedule(seed: number, disk = createMemoryDisk()): Promise<Events> {
	const { session, published } = await aPlayer(seed, disk);
	// Of the thread alone: an agent that did not get its parent's rights would have those of the window.
	const threadId = session.threads.start({ cwd: undefined, settings: settingsFor(seed) });
	await session.startTurn({ threadId, input: [{ kind: "text", text: `Schedule ${seed}.` }] });
	const { running } = await session.threads.open(threadId);
	if (pickNumber(seed, "disturb", 4) === 0) {
		await pass(pickNumber(seed, "moment", 200));
		running?.abort.abort();
	}
	await within(running?.ended ?? Promise.resolve(), STUCK_MS, () => `seed ${seed}: the turn does not end`);
	await session.close();
	await checkBelow(seed, disk, published, threadId);
	return published;
}

/** Every agent below a thread has ended, is told of and recorded whole, and had no more than its parent. */
async function checkBelow(seed: number, disk: MemoryDisk, published: Events, parent: ThreadId): Promise<void> {
	const events = published.get(parent) ?? [];
	const told = events.map(({ seq, event }) => ({ seq, event }));
	assert.deepEqual(await readLog(disk, parent), told, `seed ${seed}: an item was lost`);
	assert.deepEqual(
		events.map(({ seq }) => seq),
		events.map((_, index) => index + 1),
		`seed ${seed}: a hole`,
	);
	const count = (type: string): number => events.filter(({ event }) => event.type === type).length;
	assert.equal(count("turnStarted"), count("turnCompleted"), `seed ${seed}: a turn goes on`);
	const reports = events.flatMap(({ event }) => (event.type === "agentChanged" ? [event.agent] : []));
	for (const [name, own] of Map.groupBy(reports, (report: AgentReport) => report.name)) {
		const isRunning = own.map(({ state }) => state === "running");
		assert.deepEqual(
			isRunning,
			own.map((_, index) => index % 2 === 0),
			`seed ${seed}: ${name}`,
		);
		assert.equal(isRunning.at(-1), false, `seed ${seed}: ${name} still works`);
		const [{ threadId } = assert.fail()] = own;
		checkRights(seed, events, published.get(threadId) ?? [], own);
		await checkBelow(seed, disk, published, threadId);
	}
}

async function readLog(
	disk: MemoryDisk,
	threadId: ThreadId,
): Promise<readonly Pick<PublishedEvent, "seq" | "event">[]> {
	const text = (await disk.read(`/home/threads/${threadId}.jsonl`)).toString("utf8");
	return text.split("\n").flatMap((line) => {
		const decoded = decodeRecord(line);
		if (decoded.state !== "good" || decoded.record.body.kind !== "event") return [];
		const { seq, event } = decoded.record.body;
		return [{ seq, event }];
	});
}

/** Answers each request with what the schedule says, after a few turns of the event loop. */
function randomModel(seed: number): EditorModels {
	const next = scriptFor(seed);
	let asked = 0;
	return {
		list: async () => [{ id: "fake-1", name: "Fake", vendor: "test", window: 1_000_000 }],
		countTokens: async (_, text) => text.length,
		stream: async ({ messages }, take, signal) => {
			asked += 1;
			const step: Step = next({ text: JSON.stringify(messages) });
			await pass(pickNumber(seed, `delay ${asked}`, MAX_DELAY));
			if (signal.aborted) return { status: "failed", code: "cancelled", message: "It was cancelled." };
			if (step.kind !== "reply") return { status: "failed", code: "other", message: "By chance." };
			for (const part of step.parts) {
				const text = part.pieces.join("");
				if (part.kind === "call")
					take({ kind: "toolCall", callId: part.callId, name: part.name, input: JSON.parse(text) });
				else take({ kind: "text", text });
			}
			return { status: "completed" };
		},
	};
}

/** Lets so many turns of the event loop go by. */
async function pass(turns: number): Promise<void> {
	for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
