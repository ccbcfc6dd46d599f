import assert from "node:assert/strict";
import { test } from "node:test";
import { pickNumber, playSchedule, scriptFor } from "./random-agents.ts";
import { shareHost } from "./share-host.ts";

/** The test of so many random schedules of sub-agents, one after the other in one host. */
export function testSchedules(count: number): void {
	let seed = 0;
	const shared = shareHost({
		settings: { model: { contextWindow: 1_000_000 } },
		approve: ({ turnId }) => ({ decision: pickNumber(seed, turnId, 2) === 0 ? "allow" : "deny" }),
	});
	test(`in ${count} random schedules no agent loses an item or edit or exceeds its parent, and every turn ends`, async (t) => {
		let agents = 0;
		for (seed = 1; seed <= count; seed += 1)
			await shared(t, scriptFor(seed), async (one) => {
				agents += await playSchedule(seed, one);
			});
		t.diagnostic(`${agents} agents`);
		assert.ok(agents > count, `only ${agents} agents`);
	});
}
