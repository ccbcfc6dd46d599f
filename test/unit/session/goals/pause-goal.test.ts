import assert from "node:assert/strict";
import { test } from "node:test";
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
