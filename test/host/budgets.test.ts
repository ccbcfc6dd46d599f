import assert from "node:assert/strict";
import { test } from "node:test";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { calls, says, withUsage } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({});

type Usage = Extract<ThreadEvent, { type: "usage" }>;

const PRICES = { "fake-1": { input: 2, cached: 0.5, output: 8 } };
const COUNTED = { input: 100_000, cached: 40_000, output: 10_000, reasoning: 0 };
const COST = (60_000 * 2 + 40_000 * 0.5 + 10_000 * 8) / 1_000_000;

test("a turn and its thread cost what the server counted, with cache reads at their own price, also after a restart", (t) =>
	withHost(
		t,
		{ script: () => withUsage(says("Yes."), COUNTED), settings: { model: { prices: PRICES } } },
		async ({ host, another }) => {
			const threadId = await aThread(host);
			await runTurn(host, threadId, "one");
			const second = usageIn((await runTurn(host, threadId, "two")).published);
			assert.deepEqual([second.cost, second.spent?.turn.money, second.spent?.thread.money], [COST, COST, 2 * COST]);
			assert.deepEqual([second.spent?.thread.requests, second.spent?.thread.tokens], [2, 220_000]);
			await host.killHard();
			const third = usageIn((await runTurn(await another(), threadId, "three")).published);
			assert.deepEqual([third.spent?.thread.money, third.spent?.thread.requests], [3 * COST, 3]);
		},
	));

test("unknown prices are not guessed, cache breaks are named, and without a price a money limit stops at once", (t) =>
	withShared(
		t,
		() => says("Yes."),
		async ({ host, model }) => {
			const threadId = await aThread(host);
			const usage = usageIn((await runTurn(host, threadId, "one")).published);
			assert.deepEqual([usage.cost, usage.spent?.thread.money, usage.spent?.thread.unpriced], [undefined, 0, 1]);
			assert.equal(usageIn((await runTurn(host, threadId, "two")).published).cacheBreak, undefined);
			await host.request(threadSettings, { threadId, settings: { model: { id: "fake-2" } } });
			const { cacheBreak } = usageIn((await runTurn(host, threadId, "three")).published);
			assert.deepEqual(cacheBreak, { reason: "model", part: "model" });
			const { cacheMiss } = await host.request(contextInspect, { threadId, request: -1 });
			assert.deepEqual(cacheMiss, cacheBreak, "the inspector shows it beside the request");
			assert.equal((await host.request(contextInspect, { threadId, request: 2 })).cacheMiss, undefined);
			await host.request(threadSettings, { threadId, settings: { budgets: { turn: { money: 1 } } } });
			const { end } = await runTurn(host, threadId, "four");
			assert.deepEqual([end.status, end.error?.code, model.requests.length], ["failed", "budget", 3]);
			assert.match(end.error?.message ?? "", /no price is known for fake-2\. Set it in vitrine\.model\.prices/);
		},
	));

test("a turn ends at its limit with nothing lost, names the limit, and goes on when it is raised", (t) => {
	const script = [calls("read_file", { path: "README.md" }), calls("read_file", { path: "README.md" }), says("Done.")];
	return withShared(t, script, async ({ host, model }) => {
		const threadId = await aThread(host, { settings: { budgets: { turn: { requests: 2 } } } });
		const { end } = await runTurn(host, threadId, "read it");
		const limit = { scope: "turn", unit: "requests", limit: 2, spent: 2 };
		assert.deepEqual([end.status, end.error?.code, end.error?.limit], ["failed", "budget", limit]);
		assert.equal(model.requests.length, 2);
		await host.request(threadSettings, { threadId, settings: { budgets: { turn: { requests: 4 } } } });
		const next = await runTurn(host, threadId, "Go on where you stopped.");
		assert.deepEqual([next.end.status, next.text], ["completed", "Done."]);
		const lines = inputLines(model.requests[2] ?? assert.fail());
		assert.equal(lines.filter((line) => line.startsWith("output")).length, 2, lines.join("\n"));
		assert.match(lines.join("\n"), /at a limit set by the user/);
	});
});

test("a daily limit counts all windows and outlives the host", (t) =>
	withHost(
		t,
		{ script: () => withUsage(says("Yes."), COUNTED), settings: { budgets: { day: { tokens: 220_000 } } } },
		async ({ host, another, model }) => {
			await runTurn(host, await aThread(host), "one");
			const other = await another();
			assert.equal((await runTurn(other, await aThread(other), "two")).end.status, "completed");
			const { end } = await runTurn(host, await aThread(host), "three");
			const limit = { scope: "day", unit: "tokens", limit: 220_000, spent: 220_000 };
			assert.deepEqual([end.error?.limit, model.requests.length], [limit, 2]);
			await host.killHard();
			await other.killHard();
			const later = await another();
			assert.equal((await runTurn(later, await aThread(later), "four")).end.error?.code, "budget");
		},
	));

function usageIn(published: readonly { readonly event: ThreadEvent }[]): Usage {
	const usage = published.map(({ event }) => event).findLast((event) => event.type === "usage");
	return usage?.type === "usage" ? usage : assert.fail("there was no usage");
}
