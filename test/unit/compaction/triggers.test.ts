import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	contextTokens,
	fullUsage,
	historyTokens,
	isFull,
	mostContextTokens,
} from "../../../agent-host/compaction/measure.ts";
import { dueBeforeTurn, dueMidTurn, isWorthIt, mayRescue } from "../../../agent-host/compaction/triggers.ts";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { agent, aPlan, call, output, user } from "./a-plan.ts";

const BUDGETS = { autoCompact: 9_000, effective: 10_000 };
const CALM = {
	used: 1_000,
	incoming: 0,
	budgets: BUDGETS,
	auto: true,
	compactionsSinceStep: 0,
	inVain: 0,
	full: false,
};

test("used and incoming tokens are added up", () => {
	assert.equal(dueBeforeTurn({ ...CALM, used: 8_000, incoming: 999 }, undefined), undefined);
	assert.equal(dueBeforeTurn({ ...CALM, used: 8_000, incoming: 1_000 }, undefined), "limit");
	assert.equal(dueMidTurn({ ...CALM, used: 9_000 }), "limit");
	assert.equal(dueMidTurn({ ...CALM, used: 8_999 }), undefined);
});

test("a context is never larger than the most that it is judged by before it is counted", () => {
	const text = fc.string({ unit: "binary", maxLength: 300 });
	const item: fc.Arbitrary<HistoryItem> = fc.oneof(
		text.map((one) => user(one)),
		text.map((one) => agent(one)),
		text.map(
			(one): HistoryItem => ({ kind: "reasoning", providerId: "r", summary: [one, one], encrypted: one.repeat(20) }),
		),
		text.map((one): HistoryItem => ({ kind: "toolCall", callId: "", name: "", arguments: one, extra: { "": one } })),
		text.map((one) => output("1", one)),
		fc.constant<HistoryItem>({
			kind: "userImage",
			mediaType: "image/png",
			data: "",
			width: 1,
			height: 1,
		} as HistoryItem),
	);
	const reported = fc.option(
		fc.record({ total: fc.nat(20_000), reasoning: fc.nat(50), items: fc.nat(8), window: fc.constantFrom(500, 10_000) }),
	);
	fc.assert(
		fc.property(fc.array(item, { maxLength: 8 }), fc.nat(900), reported, (history, fixed, one) => {
			const usage = one && {
				last: { input: one.total, cached: 0, output: 0, reasoning: one.reasoning, total: one.total },
				window: one.window,
				items: one.items,
			};
			const counted = contextTokens(history, fixed, usage ?? undefined);
			assert.ok(counted <= mostContextTokens(history, fixed, usage ?? undefined));
		}),
		{ numRuns: 500 },
	);
});

test("a smaller window triggers compaction only when the history does not fit it", () => {
	const previous = { effective: 100_000 };
	assert.equal(dueBeforeTurn({ ...CALM, used: 20_000 }, previous), "downshift");
	assert.equal(dueBeforeTurn(CALM, previous), undefined);
	assert.equal(dueBeforeTurn({ ...CALM, used: 20_000 }, { effective: 5_000 }), "limit");
	assert.equal(dueBeforeTurn({ ...CALM, used: 20_000, full: true }, previous), "overflow");
});

test("automatic compaction stops when switched off, and after two attempts without a completed step", () => {
	const over = { ...CALM, used: 20_000 };
	assert.equal(dueBeforeTurn({ ...over, auto: false }, undefined), undefined);
	assert.deepEqual(
		[0, 1, 2, 3].map((compactionsSinceStep) => dueMidTurn({ ...over, compactionsSinceStep })),
		["limit", "limit", undefined, undefined],
	);
	assert.deepEqual(
		[0, 1, 2].map((compactionsSinceStep) => mayRescue({ auto: true, compactionsSinceStep })),
		[true, true, false],
	);
	assert.equal(mayRescue({ auto: false, compactionsSinceStep: 0 }), false);
});

test("an automatic compaction must free a fifth; a manual one is always done", () => {
	assert.equal(isWorthIt("limit", 1_000, 800), true);
	assert.equal(isWorthIt("overflow", 1_000, 801), false);
	assert.equal(isWorthIt("manual", 1_000, 1_200), true);
});

const HISTORY = [user("word ".repeat(400)), agent("word ".repeat(400)), user("more ".repeat(100))];
const OWN = 500 + historyTokens(HISTORY);

test("the provider's count is used, plus an estimate of what was added since", () => {
	const last = { input: 900, cached: 0, output: 500, reasoning: 100, total: 1_400 };
	const since = historyTokens(HISTORY.slice(2));
	assert.equal(contextTokens(HISTORY, 500, { last, window: 10_000, items: 2 }), 1_300 + since);
	assert.equal(contextTokens(HISTORY, 500, undefined), OWN);
});

test("reasoning counts when the next request carries it, and only then", () => {
	const last = { input: 900, cached: 0, output: 500, reasoning: 100, total: 1_400 };
	const thought: HistoryItem = { kind: "reasoning", providerId: "r", summary: ["hm"], source: "here" };
	const sealed: HistoryItem = { ...thought, encrypted: "x".repeat(900) };
	const counted = (answer: readonly HistoryItem[]) => {
		const history = [...HISTORY, sealed, ...answer];
		return contextTokens(history, 500, { last, window: 10_000, items: history.length });
	};
	assert.deepEqual(
		[
			[user("go on"), agent("ok")],
			[user("go on"), thought, agent("ok")],
			[user("go on"), sealed, agent("ok")],
		].map(counted),
		[1_300, 1_300, 1_400],
	);
	assert.equal(counted([output("a", "ok"), sealed, call("b")]), 1_400, "also beside a call");
});

test("the provider's count is believed up to the window, even if the visible history is much smaller", () => {
	const last = { input: 9_000, cached: 0, output: 500, reasoning: 0, total: 9_500 };
	assert.equal(contextTokens(HISTORY, 500, { last, window: 10_000, items: 3 }), 9_500);
	assert.equal(aPlan(HISTORY, { counted: 9_500, incoming: 20 }).before, 9_520);
});

test("a report that cannot be true is ignored", () => {
	for (const total of [Number.NaN, -5, 1e12, 0, Number.POSITIVE_INFINITY]) {
		const last = { input: total, cached: 0, output: 1, reasoning: 0, total };
		assert.equal(contextTokens(HISTORY, 500, { last, window: 10_000, items: 3 }), OWN, String(total));
	}
	const last = { input: OWN, cached: 0, output: 0, reasoning: 0, total: OWN };
	assert.equal(contextTokens(HISTORY, 500, { last, window: 10_000, items: 9 }), OWN, "counts items that are gone");
});

test("a context that was refused as too long is full, whatever was counted before", () => {
	const full = { last: fullUsage(10_000), window: 10_000, items: 3 };
	assert.equal(isFull(full), true);
	assert.equal(contextTokens(HISTORY, 500, full), 10_000);
});

test("a longer history always measures more", () => {
	fc.assert(
		fc.property(fc.array(fc.string()), fc.string(), (texts, more) => {
			const history = texts.map(user);
			assert.ok(contextTokens([...history, user(more)], 100, undefined) > contextTokens(history, 100, undefined));
		}),
	);
});
