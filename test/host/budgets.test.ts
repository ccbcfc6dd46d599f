import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, holds, says, withUsage } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";
import { type WireName, withWire } from "./rig/wires.ts";
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

test("while the day's spending cannot be read, a daily limit sends nothing and says which file to make readable", (t) =>
	withHost(t, { script: () => says("Yes."), settings: { budgets: { day: { requests: 9 } } } }, async (rig) => {
		const { host, model, world } = rig;
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		const folder = join(world.home, "spending");
		const [day = assert.fail()] = readdirSync(folder);
		rmSync(join(folder, day));
		mkdirSync(join(folder, day));
		const { end } = await runTurn(host, threadId, "two");
		assert.deepEqual([end.status, end.error?.code, model.requests.length], ["failed", "storage", 1]);
		const said = /^Today's usage can't be read \(E[A-Z]+: .*\), .* Make the file readable, or remove the limit\.$/;
		assert.match(end.error?.message ?? "", said);
	}));

const sse = (...messages: readonly object[]): string =>
	messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join("");
const FAILED = { code: "server_error", message: "It broke." };
/** Answers that their server has counted as 1,050 tokens, and that break off. */
const BROKEN: Readonly<Record<Exclude<WireName, "editor">, string>> = {
	responses: sse({
		type: "response.failed",
		response: { status: "failed", error: FAILED, usage: { input_tokens: 1_000, output_tokens: 50 } },
	}),
	chat: sse(
		{ choices: [{ index: 0, delta: { content: "Half" } }], usage: { prompt_tokens: 900, completion_tokens: 10 } },
		{ choices: [{ index: 0, delta: {} }], usage: { prompt_tokens: 1_000, completion_tokens: 50 } },
		{ error: FAILED },
	),
	messages: sse(
		{ type: "message_start", message: { usage: { input_tokens: 1_000, output_tokens: 50 } } },
		{ type: "error", error: { type: "overloaded_error", message: "It broke." } },
	),
	gemini: sse({
		candidates: [{ index: 0, content: { parts: [{ text: "Half" }] } }],
		usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 50 },
	}),
};

for (const [wire, body] of Object.entries(BROKEN)) {
	test(`over ${wire}, an answer that failed counts as its server counted it, once, and against the limits`, (t) =>
		withWire(t, wire as WireName, { budgets: { thread: { tokens: 1_100 } } }, async ({ turn }) => {
			const first = await turn([{ kind: "raw", body }, says("Done.")]);
			assert.deepEqual(
				[first.end.status, first.end.spent?.turn.tokens, first.end.spent?.turn.requests],
				["completed", 1_160, 2],
			);
			const { end, requests } = await turn([], { threadId: first.threadId });
			assert.deepEqual([end.error?.limit?.spent, requests.length], [1_160, 0]);
		}));
}

test("a cut answer counts, too, also after the host was killed", (t) => {
	const response = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
	const usage = { input_tokens: 1_000, output_tokens: 50 };
	const cut = { kind: "raw", body: sse({ type: "response.incomplete", response: { ...response, usage } }) } as const;
	return withHost(t, { script: [cut, says("Done.")] }, async ({ host, another }) => {
		const threadId = await aThread(host);
		const { end } = await runTurn(host, threadId, "one");
		assert.deepEqual([end.status, end.spent?.thread.tokens], ["failed", 1_050]);
		await host.killHard();
		assert.equal((await runTurn(await another(), threadId, "two")).end.spent?.thread.tokens, 1_160);
	});
});

test("an answer that the user stops counts as far as its server has counted it", (t) => {
	const held = holds("Half", " of it.");
	const settings = { model: { wire: "messages" as const } };
	return withHost(t, { script: [held], settings }, async ({ host }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await held.reached;
		await host.waitFor(threadId, ({ type }) => type === "itemDelta");
		await host.request(turnInterrupt, { threadId });
		const { end } = await endOfTurn(host, threadId, turnId);
		assert.deepEqual([end.status, end.spent?.turn.tokens], ["interrupted", 101]);
	});
});

function usageIn(published: readonly { readonly event: ThreadEvent }[]): Usage {
	const usage = published.map(({ event }) => event).findLast((event) => event.type === "usage");
	return usage?.type === "usage" ? usage : assert.fail("there was no usage");
}
