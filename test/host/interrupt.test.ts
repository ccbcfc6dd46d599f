import assert from "node:assert/strict";
import { test } from "node:test";
import { HOST_ERRORS } from "../../agent-host/protocol/errors.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadDelete, threadList, threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { fails, hangs, holds, type Step, says, thinks } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type RpcError, runTurn, startHeldTurn } from "../support/host-process.ts";
import { spokenLines } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({});
const withPatience = shareHost({ settings: { retry: { baseDelayMs: 60_000 } } });

test("an interrupt ends the stream, keeps the text so far marked as cut, and the model is told", (t) => {
	const step = holds("The first half", " and the second.");
	return withShared(t, [step, says("Where were we?")], async ({ host, model }) => {
		const { threadId, turnId } = await startHeldTurn(host, step);
		await host.request(turnInterrupt, { threadId });

		const { end, published } = await endOfTurn(host, threadId, turnId);
		assert.equal(end.status, "interrupted");
		assert.deepEqual(
			published.flatMap(({ event }) =>
				event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [{ ...event.item, id: "" }] : [],
			),
			[{ kind: "agentMessage", id: "", text: "The first half", cut: true }],
		);
		const request = await model.requestNumber(1);
		await request.closed;
		assert.equal(request.closedByClient, true);

		assert.equal((await runTurn(host, threadId, "Go on.")).text, "Where were we?");
		assert.deepEqual(spokenLines(model.requests[1] ?? assert.fail()), [
			"user: Go on, tell me.",
			"assistant: The first half",
			"user/turn-aborted: The user stopped the previous turn before it was finished. The last text may be incomplete. Do not assume that any unfinished work was done.",
			"user: Go on.",
		]);
	});
});

test("turn/interrupt is answered only when the turn has ended", (t) => {
	const step = holds("a", "b");
	return withShared(t, [step], async ({ host }) => {
		const { threadId } = await startHeldTurn(host, step);
		await host.request(turnInterrupt, { threadId });
		const { events } = await host.request(threadRead, { threadId });
		assert.equal(events.at(-1)?.event.type, "turnCompleted");
		assert.equal(host.events(threadId).at(-1)?.event.type, "turnCompleted");
	});
});

test("nothing is published for a turn after its end", (t) => {
	const step = holds("a", "b".repeat(5_000));
	return withShared(t, [step, says("second")], async ({ host }) => {
		const { threadId, turnId } = await startHeldTurn(host, step);
		step.release();
		await host.request(turnInterrupt, { threadId });
		await runTurn(host, threadId, "next");
		const events = host.events(threadId).map(({ event }) => event);
		const end = events.findIndex((event) => isEnd(event) && event.turnId === turnId);
		assert.ok(end > 0);
		assert.deepEqual(
			events.slice(end + 1).filter((event) => "turnId" in event && event.turnId === turnId),
			[],
		);
	});
});

const WAITS: readonly { readonly while: string; readonly script: readonly Step[] }[] = [
	{ while: "the model has not answered yet", script: [hangs()] },
	{ while: "the host waits to try again", script: [fails(503)] },
	{ while: "the model only thinks", script: [{ ...thinks("hm"), ending: { kind: "silence" } }] },
];

for (const { while: when, script } of WAITS) {
	test(`an interrupt works while ${when}`, (t) =>
		withPatience(t, script, async ({ host, model }) => {
			const threadId = await aThread(host);
			const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "x" }] });
			const request = await model.requestNumber(1);
			if (script[0]?.kind === "refusal") await host.waitFor(threadId, (event) => event.type === "warning");
			await host.request(turnInterrupt, { threadId });
			assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "interrupted");
			await request.closed;
			assert.equal(model.requests.length, 1);
		}));
}

test("an interrupt right behind turn/start ends the turn, whether or not a request was sent", (t) =>
	withShared(
		t,
		() => hangs(),
		async ({ host }) => {
			const threadId = await aThread(host);
			for (let round = 0; round < 20; round += 1) {
				const started = host.request(turnStart, { threadId, input: [{ kind: "text", text: `x${round}` }] });
				const stopped = host.request(turnInterrupt, { threadId });
				const { turnId } = await started;
				await stopped;
				await host.request(turnInterrupt, { threadId });
				assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "interrupted");
			}
		},
	));

test("an interrupt with no running turn is answered at once", (t) =>
	withShared(t, [], async ({ host }) => {
		const threadId = await aThread(host);
		assert.deepEqual(await host.request(turnInterrupt, { threadId }), {});
		assert.deepEqual(host.events(threadId), []);
	}));

test("a second turn on a busy thread is refused and leaves the first alone", (t) => {
	const step = holds("a", "b");
	return withShared(t, [step], async ({ host }) => {
		const { threadId, turnId } = await startHeldTurn(host, step);
		const again = host.request(turnStart, { threadId, input: [{ kind: "text", text: "me too" }] });
		await assert.rejects(again, (error: RpcError) => {
			assert.deepEqual(
				[error.code, error.data],
				[HOST_ERRORS["turn-in-progress"], { kind: "turn-in-progress", sentence: "turn-runs" }],
			);
			return true;
		});
		const isRunning = async () =>
			(await host.request(threadList, {})).threads.find((thread) => thread.threadId === threadId)?.running;
		assert.equal(await isRunning(), true);
		step.release();
		assert.equal((await endOfTurn(host, threadId, turnId)).text, "ab");
		assert.equal(await isRunning(), false);
	});
});

test("of two turns sent at the same moment one runs and one is refused", (t) =>
	withShared(t, [says("only one")], async ({ host }) => {
		const threadId = await aThread(host);
		const send = (text: string) => host.request(turnStart, { threadId, input: [{ kind: "text", text }] });
		const results = await Promise.allSettled([send("one"), send("two")]);
		assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
		await host.waitFor(threadId, isEnd);
	}));

test("deleting a thread with a running turn ends the turn and the request", (t) => {
	const step = holds("a", "b");
	return withShared(t, [step], async ({ host, model }) => {
		const { threadId } = await startHeldTurn(host, step);
		await host.request(threadDelete, { threadId });
		const request = await model.requestNumber(1);
		await request.closed;
		assert.equal(request.closedByClient, true);
		const { threads } = await host.request(threadList, {});
		assert.ok(threads.every((thread) => thread.threadId !== threadId));
	});
});

function isEnd(event: ThreadEvent): event is Extract<ThreadEvent, { type: "turnCompleted" }> {
	return event.type === "turnCompleted";
}
