import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublishedEvent } from "../../../../agent-host/protocol/thread/events.ts";
import type { Disk } from "../../../../agent-host/store/home/disk.ts";
import { createMemoryDisk } from "../../../support/memory-disk.ts";
import { aSession } from "../../../support/memory-session.ts";

test("Stop between two turns for a goal pauses it, as Stop in a turn does", async () => {
	const { session, published } = await aSession(createMemoryDisk());
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	const input = [{ kind: "text" as const, text: "Never done." }];
	await session.startTurn({ threadId, input, goal: { budget: { turns: 9 } } });
	const thread = await session.threads.open(threadId);
	await thread.running?.ended;
	// The timer of this session never fires, so the next turn is due and does not begin.
	assert.deepEqual([thread.state().goal?.state, thread.state().goal?.spent.turns], ["active", 1]);
	await session.interrupt(threadId);
	assert.equal(thread.state().goal?.state, "paused");
	const reasons = published.flatMap(({ event }) => (event.type === "goalChanged" ? [event.goal.reason] : []));
	assert.equal(reasons.at(-1), "You paused the goal.");
	await session.close();
});

test("no turn for a goal begins while the user stops its thread, however long that takes", async () => {
	const memory = createMemoryDisk();
	const due = new Set<() => void>();
	const setTimer = (_: number, work: () => void) => {
		due.add(work);
		return () => due.delete(work);
	};
	let isStopping = false;
	// The turn that was stopped is read once it is over: by then, time is up.
	const disk: Disk = {
		...memory,
		readRange: (...place) => {
			if (isStopping) for (const work of due) work();
			return memory.readRange(...place);
		},
	};
	const { session, published, runTurn } = await aSession(disk, { setTimer });
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	const input = [{ kind: "text" as const, text: "Never done." }];
	await session.startTurn({ threadId, input, goal: { budget: { turns: 9 } } });
	const thread = await session.threads.open(threadId);
	await thread.running?.ended;
	await session.startTurn({ threadId, input: [{ kind: "text", text: "Mine." }] });
	isStopping = true;
	await session.interrupt(threadId);
	assert.equal(thread.state().goal?.state, "paused");
	await runTurn(threadId, "Also mine.");
	const prompts = published.flatMap(({ event }) =>
		event.type === "itemCompleted" && event.item.kind === "userMessage" ? [event.item.text] : [],
	);
	assert.deepEqual(prompts, ["Never done.", "Mine.", "Also mine."]);
	await session.close();
});

test("a goal is pursued only if the user can pause it: elsewhere it gets one turn and no follow-up", async () => {
	const pursue = async (pursuesGoals: boolean) => {
		const due: (() => void)[] = [];
		const setTimer = (_: number, work: () => void) => {
			due.push(work);
			return () => undefined;
		};
		const begun = Promise.withResolvers<void>();
		let turns = 0;
		const published = ({ event }: PublishedEvent) => {
			if (event.type !== "turnStarted") return;
			turns += 1;
			if (turns === 2) begun.resolve();
		};
		const { session } = await aSession(createMemoryDisk(), { pursuesGoals, setTimer, published });
		const threadId = session.threads.start({ cwd: undefined, settings: {} });
		const input = [{ kind: "text" as const, text: "Never done." }];
		await session.startTurn({ threadId, input, goal: { budget: { turns: 9 } } });
		const thread = await session.threads.open(threadId);
		await thread.running?.ended;
		await session.goals.wake(thread);
		for (const work of due) work();
		if (pursuesGoals) await begun.promise;
		await session.close();
		return [turns, thread.state().goal?.state, thread.state().goal?.spent.turns];
	};
	assert.deepEqual(await pursue(false), [1, "active", 1]);
	assert.deepEqual((await pursue(true))[0], 2);
});
