import assert from "node:assert/strict";
import { test } from "node:test";
import type { Spent } from "../../../agent-host/protocol/thread/events.ts";
import { metersOf } from "../../../media/model/composer/meters.ts";
import { describeElapsed, describeProgress } from "../../../media/model/thread/progress.ts";

const ALL = { showCost: true, showCacheMeter: true };
const NOTHING: Spent = { tokens: 0, money: 0, unpriced: 0, requests: 0, minutes: 0 };

function costMeter(thread: Partial<Spent>, turn: Partial<Spent> = {}) {
	const spent = { turn: { ...NOTHING, ...turn }, thread: { ...NOTHING, ...thread } };
	return metersOf({ spent, counted: undefined }, ALL);
}

test("a thread that cost nothing shows no cost, and one of unknown price says so", () => {
	assert.deepEqual(costMeter({ tokens: 100 }), []);
	assert.deepEqual(costMeter({ tokens: 1_200, unpriced: 2 }, { unpriced: 1 }), [
		{
			name: "cost",
			text: "price unknown",
			title:
				"This thread: $0.00+ for 1,200 tokens. Last turn: $0.00+. 2 answers are of a model whose price is not known.",
		},
	]);
});

test("money that is known beside some that is not is a lower bound", () => {
	assert.equal(costMeter({ money: 0.423, unpriced: 1 })[0]?.text, "$0.42+");
	assert.equal(costMeter({ money: 0.004 })[0]?.text, "<$0.01");
});

const count = { input: 1_000, cached: 910, output: 10, reasoning: 0, total: 1_010 };
const usage = { type: "usage", last: count, total: count, window: 1, percentLeft: 1, estimated: false } as const;

test("the cache meter shows the last request's share, the thread's, and what broke it", () => {
	const last = { ...count, cached: 0 };
	const counted = { ...usage, turnId: "t" as never, baseline: 0, last, cacheBreak: { part: "effort" } };
	assert.deepEqual(metersOf({ spent: undefined, counted }, ALL), [
		{
			name: "cache",
			text: "cache 0%",
			title:
				"From the provider's cache: 0 % of the last request (1,000 tokens), 91 % of the thread's. First change: effort.",
		},
	]);
});

test("a meter that the user does not want is not shown", () => {
	const spent = { turn: NOTHING, thread: { ...NOTHING, money: 1 } };
	const counted = { ...usage, turnId: "t" as never, baseline: 0 };
	const shown = (change: Partial<typeof ALL>) =>
		metersOf({ spent, counted }, { ...ALL, ...change }).map(({ name }) => name);
	assert.deepEqual(shown({}), ["cost", "cache"]);
	assert.deepEqual(shown({ showCost: false }), ["cache"]);
	assert.deepEqual(shown({ showCacheMeter: false }), ["cost"]);
});

const running = { turnId: "t", since: 0, steps: 0 };
const idle = { running, approvals: [], questions: [], compacting: undefined, entries: [] };

test("the model is said to be waited for from five seconds of silence on, with a warning from a minute on", () => {
	const after = (ms: number) => describeProgress(idle, 1_000, 1_000 + ms);
	assert.deepEqual(after(4_999), { text: "Working", look: "working" });
	assert.deepEqual(after(5_000), { text: "Waiting for the model", look: "working" });
	assert.deepEqual(after(61_000), { text: "No reply for 1 min 1 s", look: "silent" });
});

test("a call that runs is named, and is not the model's silence", () => {
	const call = { kind: "toolCall", status: "running", title: `Run make all\n${"x".repeat(100)}` } as never;
	const progress = describeProgress({ ...idle, entries: [call] }, 0, 90_000);
	assert.deepEqual(progress, { text: "Run make all", look: "working" });
});

test("a turn that takes long says how many steps and minutes it has been working", () => {
	const after = (ms: number, steps: number) => describeElapsed({ since: 1_000, steps }, 1_000 + ms);
	assert.equal(after(59_000, 7), "59 s");
	assert.equal(after(60_000, 1), "Still working: 1 step, 1 minute");
	assert.equal(after(72 * 60_000 + 5_000, 1_041), "Still working: 1,041 steps, 72 minutes");
	assert.equal(after(90_000, 0), "1 min 30 s");
});

test("a question about how to go on waits for the user", () => {
	assert.equal(describeProgress({ ...idle, questions: [{} as never] }, 0, 0).text, "Waiting for you");
});

test("a rate limit is counted down in whole seconds, and silence counts from its end", () => {
	const retrying = { ...idle, running: { ...running, retry: { at: 20_000, code: "rate-limit" } } } as const;
	assert.deepEqual(describeProgress(retrying, 0, 8_500), {
		text: "Rate limit: trying again in 12 s",
		look: "countdown",
	});
	assert.equal(describeProgress(retrying, 0, 24_000).text, "Working");
	assert.equal(describeProgress(retrying, 0, 25_000).text, "Waiting for the model");
});
