import assert from "node:assert/strict";
import { test } from "node:test";
import type { Spent } from "../../../../../agent-host/protocol/thread/events.ts";
import { listMeters } from "../../../../../media/model/composer/meters.ts";

const ALL = { showCost: true, showCacheMeter: true };

const NOTHING: Spent = { tokens: 0, money: 0, unpriced: 0, requests: 0, minutes: 0 };

function costMeter(thread: Partial<Spent>, turn: Partial<Spent> = {}) {
	const spent = { turn: { ...NOTHING, ...turn }, thread: { ...NOTHING, ...thread } };
	return listMeters({ spent, counted: undefined }, ALL);
}

test("a thread that cost nothing, or whose price is not known, shows no cost", () => {
	assert.deepEqual(costMeter({ tokens: 100 }), []);
	assert.deepEqual(costMeter({ tokens: 1_200, unpriced: 2 }, { unpriced: 1 }), []);
});

test("a cost of which a part is unknown is shown as a lower bound", () => {
	assert.equal(costMeter({ money: 0.423, unpriced: 1 })[0]?.text, "$0.42+");
	assert.equal(costMeter({ money: 0.004 })[0]?.text, "<$0.01");
});

const count = { input: 1_000, cached: 910, output: 10, reasoning: 0, total: 1_010 };

const usage = { type: "usage", last: count, total: count, window: 1, percentLeft: 1, estimated: false } as const;

test("the cache meter shows the last request's share, the thread's, and what broke it", () => {
	const last = { ...count, cached: 0 };
	const counted = {
		...usage,
		turnId: "t" as never,
		baseline: 0,
		last,
		cacheBreak: { reason: "settings", part: "effort" },
	} as const;
	assert.deepEqual(listMeters({ spent: undefined, counted }, ALL), [
		{
			name: "cache",
			text: "cache 0%",
			title:
				"Cache hits: 0% of the last request (1,000 tokens), 91% of this thread. Cache miss caused by: changed settings (reasoning effort).",
		},
	]);
});

test("a meter that the user does not want is not shown", () => {
	const spent = { turn: NOTHING, thread: { ...NOTHING, money: 1 } };
	const counted = { ...usage, turnId: "t" as never, baseline: 0 };
	const shown = (change: Partial<typeof ALL>) =>
		listMeters({ spent, counted }, { ...ALL, ...change }).map(({ name }) => name);
	assert.deepEqual(shown({}), ["cost", "cache"]);
	assert.deepEqual(shown({ showCost: false }), ["cache"]);
	assert.deepEqual(shown({ showCacheMeter: false }), ["cost"]);
});
