import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpending } from "../../../agent-host/session/thread/spending.ts";
import { NOTHING_SPENT } from "../../../agent-host/spending/spent.ts";
import { openDayLedger } from "../../../agent-host/store/home/day-ledger.ts";
import { openHome } from "../../../agent-host/store/home/home.ts";
import { anEnvelope } from "../../support/an-envelope.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { createMemoryDisk } from "../../support/memory-disk.ts";

const NOON = Date.parse("2027-01-15T12:00:00Z");
const HOUR = 3_600_000;
const usage = { input: 90, cached: 0, output: 10, reasoning: 0, total: 100 };

async function aTurn(limits: object = {}) {
	const clock = createFakeClock(NOON);
	const home = await openHome(createMemoryDisk(), async () => ({ release: () => undefined }), "/home");
	const days = openDayLedger(home);
	const envelope = anEnvelope({ settings: { budgets: limits } });
	const begin = () =>
		createSpending(envelope, { spent: undefined, total: undefined }, { now: clock.now, dailySpending: days });
	return { clock, days, envelope, spending: begin(), begin };
}

test("a turn past midnight spends on the day on which each request is made", async () => {
	const { clock, days, envelope, spending } = await aTurn();
	await spending.beforeRequest(envelope);
	clock.advance(13 * HOUR);
	await spending.take(usage, envelope);
	assert.deepEqual(await days.total("2027-01-15"), { ...NOTHING_SPENT, requests: 1 });
	assert.deepEqual(await days.total("2027-01-16"), { ...NOTHING_SPENT, tokens: 100, minutes: 780 });
});

test("a clock that is set back costs no count and gives no time back", async () => {
	const { clock, days, envelope, spending } = await aTurn();
	clock.advance(HOUR);
	await spending.beforeRequest(envelope);
	clock.set(NOON + HOUR / 2);
	await spending.take(usage, envelope);
	await spending.end();
	assert.deepEqual(await days.total("2027-01-15"), { ...NOTHING_SPENT, requests: 1, tokens: 100, minutes: 60 });
});

test("minutes of a turn that waits count, and the next turn begins at none while the day goes on", async () => {
	const { clock, envelope, spending, begin } = await aTurn({ turn: { minutes: 30 }, day: { minutes: 45 } });
	await spending.beforeRequest(envelope);
	clock.advance(HOUR / 2);
	await assert.rejects(spending.beforeRequest(envelope), {
		code: "budget",
		limit: { scope: "turn", unit: "minutes", limit: 30, spent: 30 },
	});
	await spending.end();
	const next = begin();
	await next.beforeRequest(envelope);
	clock.advance(HOUR / 4);
	await assert.rejects(next.beforeRequest(envelope), {
		limit: { scope: "day", unit: "minutes", limit: 45, spent: 45 },
	});
});
