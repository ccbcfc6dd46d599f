import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentReport } from "../../../../agent-host/protocol/agent.ts";
import { ThreadId, TurnId } from "../../../../agent-host/protocol/ids.ts";
import { type AgentEnd, NOTHING_CHANGED } from "../../../../agent-host/session/agents/agent-end.ts";
import {
	type CrewPorts,
	createCrew,
	MAX_MESSAGES,
	MAX_RUNNING,
	MAX_RUNNING_TREE,
	MAX_STARTED,
	MAX_STARTED_TREE,
} from "../../../../agent-host/session/agents/crew.ts";
import type { AgentRun } from "../../../../agent-host/session/agents/seats.ts";

const SCHEDULES = process.env.VITRINE_FULL === "1" ? 1_000 : 100;
const never = new AbortController().signal;

/** Threads in memory that end when the test says so, and the parent's log. */
function aWorld() {
	const running = new Map<ThreadId, { end: (state: AgentEnd["state"]) => void; heard: string[] }>();
	const log: { readonly agent: AgentReport; readonly told: string | undefined }[] = [];
	const timers = new Set<() => void>();
	let unread = 0;
	let most = 0;
	const run = async (threadId: ThreadId, text: string): Promise<AgentRun> => {
		await Promise.resolve();
		if (text.includes("refused")) throw new Error("It cannot begin.");
		const ended = Promise.withResolvers<AgentEnd>();
		const heard = [text];
		const end = (state: AgentEnd["state"]): void => {
			if (!running.delete(threadId)) return;
			ended.resolve({ state, text: heard.join("+"), changed: NOTHING_CHANGED });
		};
		running.set(threadId, { end, heard });
		most = Math.max(most, running.size);
		return {
			turnId: TurnId.parse(`turn-${turns++}`),
			ended: ended.promise,
			stop: () => end("interrupted"),
			steer: async (message) => {
				if (running.has(threadId)) heard.push(message);
				return running.has(threadId);
			},
		};
	};
	const ports: CrewPorts = {
		run,
		findEnd: async () => ({ state: "interrupted", text: "cut off", changed: NOTHING_CHANGED }),
		report: async (agent, told) => {
			await Promise.resolve();
			log.push({ agent, told });
			if (told !== undefined) unread += 1;
		},
		hasNews: () => unread > 0,
		treeAbove: () => undefined,
		setTimer: (_, work) => {
			timers.add(work);
			return () => timers.delete(work);
		},
		log: (message) => assert.fail(message),
	};
	const read = (): void => {
		unread = 0;
	};
	return { ports, running, log, timers, read, most: () => most };
}

let ids = 0;
let turns = 0;
const create = async (): Promise<ThreadId> => ThreadId.parse(`thread-${ids++}`);
const named = (name: string) => ({ name, role: "explore", callId: `call ${name}` });

test("if too many files changed to name them all, the user and the model still get their number", async () => {
	const { ports, log, read } = aWorld();
	const changed = { files: 250, paths: ["/repo/a", "/repo/b"] };
	const cutOff = { ...named("a"), threadId: await create(), state: "running" as const };
	const crew = createCrew({ ...ports, findEnd: async () => ({ state: "completed", text: "Done.", changed }) }, () => [
		cutOff,
	]);
	await crew.beginTurn();
	read();
	assert.equal(log[0]?.agent.changedFiles, 250);
	assert.equal(log[0]?.told, "Done.\n\nFiles it changed:\n- /repo/a\n- /repo/b\n- and 248 more");
});

test(`in ${SCHEDULES} random schedules every sub-agent ends once, every result is told, and nothing waits forever`, async () => {
	for (let seed = 1; seed <= SCHEDULES; seed += 1) await playSchedule(seed);
});

async function playSchedule(seed: number): Promise<void> {
	const world = aWorld();
	const crew = createCrew(world.ports, () => []);
	const random = aRandom(seed);
	const begun = new Map<string, number>();
	const pending: Promise<unknown>[] = [];
	const note = (name: string, outcome: { readonly ok: boolean }): void => {
		if (outcome.ok) begun.set(name, (begun.get(name) ?? 0) + 1);
	};
	for (let step = 0; step < 40; step += 1) {
		const name = `agent-${random(8)}`;
		const text = random(10) === 0 ? "refused" : `task ${step}`;
		const [ended] = [...world.running.values()].slice(random(4));
		switch (random(7)) {
			case 0:
			case 1:
				pending.push(
					crew.start(named(name), text, create).then(
						(outcome) => note(name, outcome),
						() => undefined,
					),
				);
				break;
			case 2:
				pending.push(crew.message(name, text).catch(() => undefined));
				break;
			case 3:
				pending.push(crew.stop(name));
				break;
			case 4:
				ended?.end(random(2) === 0 ? "completed" : "failed");
				break;
			case 5:
				pending.push(crew.wait(never).then(world.read));
				break;
			case 6:
				await settled();
				break;
		}
	}
	await settled();
	for (const { end } of [...world.running.values()]) end("completed");
	await crew.stopAll();
	world.read();
	crew.wake();
	await Promise.all(pending);
	assert.ok(world.most() <= MAX_RUNNING, `seed ${seed}: ${world.most()} at once`);
	assert.ok(!crew.isAnyWorking() && world.running.size === 0, `seed ${seed}: one still works`);
	assert.ok(
		crew.list().every(({ state }) => state !== "running"),
		`seed ${seed}: an end is not known`,
	);
	for (const { name, state } of crew.list()) assertLog(world.log, name, state, seed);
	for (const name of begun.keys())
		assert.ok(
			crew.list().some((agent) => agent.name === name),
			`seed ${seed}: ${name}`,
		);
}

/** Running and ended take turns, and every end that was not refused at its beginning was told. */
function assertLog(log: ReturnType<typeof aWorld>["log"], name: string, last: string, seed: number): void {
	const own = log.filter(({ agent }) => agent.name === name);
	const states = own.map(({ agent }) => agent.state);
	assert.deepEqual(
		states.map((state) => state === "running"),
		states.map((_, index) => index % 2 === 0),
		`seed ${seed}: ${name} ${states.join(" ")}`,
	);
	assert.equal(states.at(-1), last);
	for (const { agent, told } of own) {
		const isEnd = agent.state !== "running";
		if (isEnd && agent.summary !== "It cannot begin.")
			assert.notEqual(told, undefined, `seed ${seed}: ${name} not told`);
	}
}

/** All microtasks and what they began are done. */
function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** Our own small generator, so that a seed always gives the same schedule. */
function aRandom(seed: number): (below: number) => number {
	let state = seed * 2_654_435_761;
	return (below) => {
		state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
		return (state >>> 8) % below;
	};
}

test("a turn starts a limited number of sub-agents, even one after another", async () => {
	const world = aWorld();
	const crew = createCrew(world.ports, () => []);
	for (let index = 0; index < MAX_STARTED; index += 1) {
		assert.ok((await crew.start(named(`a${index}`), "task", create)).ok);
		await crew.stop(`a${index}`);
	}
	const refused = await crew.start(named("one-more"), "task", create);
	assert.match(refused.ok ? "" : refused.reason, /has started 16 sub-agents, which is the limit/);
	await crew.beginTurn();
	assert.ok((await crew.start(named("one-more"), "task", create)).ok);
	await crew.stopAll();
});

test("limits count over the whole tree of agents: how many work at once, and how many were started in the turn", async () => {
	const [root, first, second] = [aWorld(), aWorld(), aWorld()];
	const crew = createCrew(root.ports, () => []);
	const below = [first, second].map((world) => createCrew({ ...world.ports, treeAbove: crew.tree }, () => []));
	for (const one of [crew, ...below].slice(0, 2))
		for (let index = 0; index < MAX_RUNNING; index += 1)
			assert.ok((await one.start(named(`a${index}`), "task", create)).ok);
	assert.equal(crew.tree().running, MAX_RUNNING_TREE);
	const refused = await below[1]?.start(named("b"), "task", create);
	assert.match(refused?.ok === false ? refused.reason : "", /^8 sub-agents work already, with those of other agents\./);
	await below[0]?.stopAll();
	assert.equal(crew.tree().running, MAX_RUNNING);
	for (let index = 0; crew.tree().started < MAX_STARTED_TREE; index += 1) {
		const one = below[index % 2];
		assert.ok((await one?.start(named(`c${index}`), "task", create))?.ok);
		await one?.stopAll();
	}
	const [last] = below;
	await last?.beginTurn();
	const late = await last?.start(named("late"), "task", create);
	assert.match(late?.ok === false ? late.reason : "", /^All agents of this turn together have started 32 sub-agents/);
	await crew.beginTurn();
	assert.ok((await last?.start(named("late"), "task", create))?.ok);
	await Promise.all([crew, ...below].map((one) => one.stopAll()));
	assert.equal(crew.tree().running, 0);
});

test("a sub-agent that works too long is stopped, and its parent is told why", async () => {
	const world = aWorld();
	const crew = createCrew(world.ports, () => []);
	await crew.start(named("slow"), "task", create);
	for (const ring of [...world.timers]) ring();
	await crew.wait(never);
	assert.deepEqual(world.log.at(-1)?.told, "It was stopped after 30 minutes, the limit for a sub-agent. task");
	assert.equal(crew.list()[0]?.state, "interrupted");
});

test("a sub-agent that floods its parent with messages is told to stop", async () => {
	const world = aWorld();
	const crew = createCrew(world.ports, () => []);
	assert.equal((await crew.hear("loud", "too early")).ok, false);
	await crew.start(named("loud"), "task", create);
	for (let index = 0; index < MAX_MESSAGES; index += 1) assert.ok((await crew.hear("loud", `message ${index}`)).ok);
	assert.equal((await crew.hear("loud", "one more")).ok, false);
	await crew.stopAll();
});

test("sub-agents left at work by a dead host are reported as such when the next turn begins", async () => {
	const world = aWorld();
	const left: AgentReport = { ...named("left"), threadId: ThreadId.parse("left"), state: "running" };
	const done: AgentReport = { ...named("done"), threadId: ThreadId.parse("done"), state: "completed", summary: "ok" };
	await createCrew(world.ports, () => [left, done]).beginTurn();
	assert.deepEqual(world.log, [{ agent: { ...left, state: "interrupted", summary: "cut off" }, told: "cut off" }]);
});

test("a wait ends when there is something to read, after its time, and when it is called off", async () => {
	const world = aWorld();
	const crew = createCrew(world.ports, () => []);
	await crew.wait(never);
	await crew.start(named("a"), "task", create);
	const timed = crew.wait(never, 1_000);
	for (const ring of [...world.timers].slice(-1)) ring();
	await timed;
	const abort = new AbortController();
	const called = crew.wait(abort.signal);
	abort.abort();
	await called;
	const read = crew.wait(never);
	await crew.hear("a", "news");
	await read;
	await crew.stopAll();
});
