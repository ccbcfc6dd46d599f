import assert from "node:assert/strict";
import { test } from "node:test";
import { threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { holds, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn, startHeldTurn } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({});

test("a view that reconnects gets exactly what it missed, and the text in flight", (t) => {
	const step = holds("So far so good", ", the end.");
	return withShared(t, [says("One."), step], async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		const seen = host.events(threadId).filter(({ seq }) => seq !== undefined).length;
		const { turnId } = await startHeldTurn(host, step, { threadId, text: "second" });

		const missed = await host.request(threadRead, { threadId, after: seen });
		const since = host.events(threadId).filter(({ seq }) => seq !== undefined && seq > seen);
		assert.deepEqual([missed.events, missed.last], [since, seen + since.length]);
		const started = since.at(-1)?.event;
		assert.ok(started?.type === "itemStarted");
		const live = { turnId, itemId: started.item.id, itemKind: "agentMessage", text: "So far so good" };
		assert.deepEqual(missed.live, live);

		step.release();
		await endOfTurn(host, threadId, turnId);
		const deltas = host
			.events(threadId)
			.flatMap(({ event }) => (event.type === "itemDelta" && event.turnId === turnId ? [event] : []));
		const text = deltas.reduce((known, delta) => known.slice(0, delta.offset) + delta.text, live.text);
		assert.equal(text, "So far so good, the end.", "live text and later deltas fit together by their offsets");
		const rest = await host.request(threadRead, { threadId, after: missed.last });
		assert.deepEqual(
			[rest.events.map(({ event }) => event.type), rest.live],
			[["itemCompleted", "usage", "turnCompleted"], undefined],
		);
	});
});

test("a thread is read page by page without a gap", (t) =>
	withShared(t, [says("ok"), says("ok"), says("ok")], async ({ host }) => {
		const threadId = await aThread(host);
		for (const text of ["one", "two", "three"]) await runTurn(host, threadId, text);
		const whole = await host.request(threadRead, { threadId });
		const pages = [];
		for (let after = 0; after < whole.last; after += 4) {
			pages.push(...(await host.request(threadRead, { threadId, after, limit: 4 })).events);
		}
		assert.deepEqual(pages, whole.events);
		assert.deepEqual((await host.request(threadRead, { threadId, after: whole.last })).events, []);
		assert.deepEqual((await host.request(threadRead, { threadId, after: whole.last + 50 })).events, []);
	}));
