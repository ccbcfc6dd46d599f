import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BudgetSettings } from "../../../agent-host/protocol/settings/settings.ts";
import type { Spent } from "../../../agent-host/protocol/thread/events.ts";
import { describeReached, findStop } from "../../../agent-host/spending/limits.ts";
import { findPrice } from "../../../agent-host/spending/prices.ts";
import {
	addSpent,
	computeCost,
	NOTHING_SPENT,
	spentLine,
	spentOn,
	sumLines,
} from "../../../agent-host/spending/spent.ts";

const FREE = { input: 0, output: 0 };
const usage = { input: 1_000_000, cached: 400_000, output: 100_000, reasoning: 50_000, total: 1_100_000 };
const nothing = { turn: NOTHING_SPENT, thread: NOTHING_SPENT, day: NOTHING_SPENT, agent: NOTHING_SPENT };
const openai = { provider: "openai", auth: "apiKey", request: { serviceTier: "auto" }, prices: {} } as const;

test("cache reads cost their own price, and reasoning costs what output costs", () => {
	assert.equal(computeCost(usage, { input: 2, cached: 0.5, output: 8 }), 0.6 * 2 + 0.4 * 0.5 + 0.1 * 8);
	assert.equal(computeCost(usage, { input: 2, output: 8 }), 2 + 0.8);
});

test("an answer of unknown price adds tokens and is counted as unknown, never as free", () => {
	assert.deepEqual(spentOn(usage, undefined), { ...NOTHING_SPENT, tokens: 1_100_000, unpriced: 1 });
});

test("the user's price goes before the table, the table knows dated names, and nothing else is guessed", () => {
	assert.deepEqual(findPrice(openai, "gpt-5"), { input: 1.25, cached: 0.125, output: 10 });
	assert.deepEqual(findPrice(openai, "gpt-5-2025-08-07"), findPrice(openai, "gpt-5"));
	assert.deepEqual(findPrice({ ...openai, prices: { "gpt-5": FREE } }, "gpt-5"), FREE);
	assert.deepEqual(findPrice({ ...openai, provider: "demo" }, "demo"), FREE);
	const unknown = [
		findPrice(openai, "gpt-5-ultra"),
		findPrice(openai, "toString"),
		findPrice({ ...openai, provider: "compatible" }, "gpt-5"),
		findPrice({ ...openai, auth: "chatgpt" }, "gpt-5"),
		findPrice({ ...openai, request: { serviceTier: "fast" } }, "gpt-5"),
	];
	assert.deepEqual(
		unknown,
		unknown.map(() => undefined),
	);
});

test("a limit stops the request after the one that reached it, and names the limit", () => {
	const limits = BudgetSettings.parse({ thread: { requests: 3 } });
	const after = (requests: number) =>
		findStop(limits, { ...nothing, thread: { ...NOTHING_SPENT, requests } }, undefined);
	assert.equal(after(2), undefined);
	const limit = { scope: "thread", unit: "requests", limit: 3, spent: 3 } as const;
	assert.deepEqual(after(3), { kind: "reached", limit });
	assert.match(describeReached(limit), /^This thread has used 3 requests of the limit of 3 requests\. Raise the limit/);
	assert.match(describeReached({ ...limit, scope: "agent" }), /^This sub-agent has used 3 requests of the limit of 3/);
	assert.match(
		describeReached({ ...limit, scope: "tree" }),
		/^The turn that this sub-agent works for, with all of its sub-agents, has used .* in the thread that started it /,
	);
});

test("with a limit on money a model of unknown price is not asked, without one it is", () => {
	assert.deepEqual(findStop(BudgetSettings.parse({ day: { money: 1 } }), nothing, undefined), { kind: "unpriced" });
	assert.equal(findStop(BudgetSettings.parse({ day: { tokens: 1 } }), nothing, undefined), undefined);
});

const amounts = { tokens: fc.nat(100), money: fc.nat(100), requests: fc.nat(100), minutes: fc.nat(100) };
const spents = fc.record({ ...amounts, unpriced: fc.nat(3) });
const some = fc.record(
	{
		tokens: fc.integer({ min: 1, max: 100 }),
		money: fc.integer({ min: 1, max: 100 }),
		requests: fc.integer({ min: 1, max: 100 }),
		minutes: fc.integer({ min: 1, max: 100 }),
	},
	{ requiredKeys: [] },
);

test("a request goes out exactly while every limit of every scope has something left", () => {
	const scoped = <T>(one: fc.Arbitrary<T>) => fc.record({ turn: one, thread: one, day: one, agent: one });
	fc.assert(
		fc.property(scoped(some), scoped(spents), (limits, spent) => {
			const isLeft = (["turn", "thread", "day", "agent"] as const).every((scope) =>
				Object.entries(limits[scope]).every(([unit, limit]) => spent[scope][unit as keyof Spent] < limit),
			);
			assert.equal(findStop(limits, spent, FREE) === undefined, isLeft);
		}),
	);
});

test("lines of two windows add up, whatever a third one left unfinished between them", () => {
	fc.assert(
		fc.property(fc.array(spents), fc.nat(), (all, cut) => {
			const torn = spentLine({ ...NOTHING_SPENT, tokens: 7 }).slice(0, cut % 10);
			const text = all.map((spent) => torn + spentLine(spent)).join("");
			assert.deepEqual(sumLines(text), all.reduce(addSpent, NOTHING_SPENT));
		}),
	);
});
