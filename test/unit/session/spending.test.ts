import assert from "node:assert/strict";
import { test } from "node:test";
import { AgentHeader } from "../../../agent-host/protocol/agent.ts";
import { createSpending, type Spending } from "../../../agent-host/session/thread/spending.ts";
import { NOTHING_SPENT } from "../../../agent-host/spending/spent.ts";
import { openDayLedger } from "../../../agent-host/store/home/day-ledger.ts";
import { openHome } from "../../../agent-host/store/home/home.ts";
import { anEnvelope } from "../../support/an-envelope.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { createMemoryDisk } from "../../support/memory-disk.ts";

const NOON = Date.parse("2027-01-15T12:00:00Z");
const HOUR = 3_600_000;
const DAY = "/home/spending/2027-01-15.jsonl";
const usage = { input: 90, cached: 0, output: 10, reasoning: 0, total: 100 };

async function aTurn(limits: object = {}) {
	const clock = createFakeClock(NOON);
	const home = await openHome(createMemoryDisk(), async () => ({ release: () => undefined }), "/home");
	const days = openDayLedger(home);
	const envelope = anEnvelope({ settings: { budgets: limits } });
	const begin = () =>
		createSpending(envelope, { spent: undefined, total: undefined }, { now: clock.now, dailySpending: days });
	return { clock, days, home, envelope, spending: begin(), begin };
}

test("a turn past midnight spends on the day of each request", async () => {
	const { clock, days, envelope, spending } = await aTurn();
	await spending.beforeRequest(envelope);
	clock.advance(13 * HOUR);
	await spending.take(usage, envelope);
	assert.deepEqual(await days.total("2027-01-15"), { ...NOTHING_SPENT, requests: 1 });
	assert.deepEqual(await days.total("2027-01-16"), { ...NOTHING_SPENT, tokens: 100, minutes: 780 });
});

test("setting the clock back loses no count and gives no time back", async () => {
	const { clock, days, envelope, spending } = await aTurn();
	clock.advance(HOUR);
	await spending.beforeRequest(envelope);
	clock.set(NOON + HOUR / 2);
	await spending.take(usage, envelope);
	await spending.end();
	assert.deepEqual(await days.total("2027-01-15"), { ...NOTHING_SPENT, requests: 1, tokens: 100, minutes: 60 });
});

test("a turn that has spent nothing since its last answer writes no line", async () => {
	const { envelope, spending, home } = await aTurn();
	await spending.beforeRequest(envelope);
	await spending.take(usage, envelope);
	const before = (await home.disk.read(DAY)).toString();
	await spending.end();
	assert.equal((await home.disk.read(DAY)).toString(), before);
	assert.equal(before.match(/^\{/gm)?.length, 2);
});

test("a waiting turn's minutes count, and the next turn starts at zero while the day's total continues", async () => {
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

test("sub-agents' spending counts once in every total above them and once in the day; a refused request does not count", async () => {
	const { clock, days, envelope, begin } = await aTurn({ turn: { requests: 6 }, agent: { requests: 3 } });
	const agent = AgentHeader.parse({ parent: "root", name: "a", role: "explore", instructions: "", readsOnly: true });
	const below = { ...envelope, identity: { ...envelope.identity, agent } };
	// A dollar for each answer.
	const prices = { [envelope.identity.model]: { input: 10_000, output: 10_000 } };
	const asked = { identity: { ...envelope.identity, prices } };
	const ports = { now: clock.now, dailySpending: days };
	const start = (above: Spending) => createSpending(below, { spent: undefined, total: undefined }, ports, { above });
	const root = begin();
	const child = start(root);
	const [grandchild, other] = [start(child), start(root)];
	const answer = async (spending: Spending): Promise<void> => {
		await spending.beforeRequest(asked);
		await spending.take(usage, asked);
	};
	for (const one of [root, child, grandchild, grandchild, other]) await answer(one);
	clock.advance(HOUR);
	const refused = { scope: "tree", unit: "requests", limit: 3, spent: 3 };
	await assert.rejects(grandchild.beforeRequest(envelope), { code: "budget", limit: refused });
	await answer(other);
	await assert.rejects(other.beforeRequest(envelope), { limit: { ...refused, limit: 6, spent: 6 } });
	await assert.rejects(root.beforeRequest(envelope), { limit: { ...refused, scope: "turn", limit: 6, spent: 6 } });
	for (const one of [grandchild, other, child, root]) await one.end();
	const totals = [root, child, grandchild, other].map((one) => one.soFar().turn);
	assert.deepEqual(
		totals.map(({ requests, tokens, money }) => [requests, tokens, money]),
		[
			[6, 600, 6],
			[3, 300, 3],
			[2, 200, 2],
			[2, 200, 2],
		],
	);
	const day = { ...NOTHING_SPENT, requests: 6, tokens: 600, money: 6, minutes: 60 };
	assert.deepEqual(await days.total("2027-01-15"), day);
});
