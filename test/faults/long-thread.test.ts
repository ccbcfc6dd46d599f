import assert from "node:assert/strict";
import { test } from "node:test";
import { threadList, threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { memoryOf } from "../bench/measures.ts";
import { titleOf, writeLongThread } from "../support/a-long-thread.ts";
import { says } from "../support/fake-model-steps.ts";
import { runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { durable, eventsOf, readRecords } from "../support/sigkill-checks.ts";
import { withKillWorld, withRoom } from "../support/sigkill-world.ts";

const TURNS = 2_000;
const PAGE = 500;
/** The bar for a thread of 10,000 turns. */
const MOST_MB = 250;

test(`a thread of ${TURNS} turns is listed, found by its title, read from any place, and continued`, (t) =>
	withKillWorld(t, async (kill) => {
		const { home } = kill.world;
		const long = writeLongThread(home, "long", TURNS);
		writeLongThread(home, "short", 1);
		const model = await kill.model(() => says("Going on."));
		const host = await kill.start(withRoom(kill.specFor(model)));
		const { threadId, events } = long;

		const { threads } = await host.request(threadList, {});
		assert.deepEqual(
			threads.map((thread) => [thread.threadId, thread.title, thread.turns, thread.running]),
			[
				["long", titleOf("long"), TURNS, false],
				["short", titleOf("short"), 1, false],
			],
		);
		const found = await host.request(threadList, { query: "IN LONG" });
		assert.deepEqual(found.threads, threads.slice(0, 1));

		assert.deepEqual(await host.request(threadResume, { threadId }), { threadId, last: events.length });
		for (const after of [0, Math.floor(events.length / 2), events.length - PAGE, events.length]) {
			const page = await host.request(threadRead, { threadId, after, limit: PAGE });
			const expected = { title: titleOf("long"), events: events.slice(after, after + PAGE), last: events.length };
			assert.deepEqual(page, expected, `after ${after}`);
		}
		for (const before of [Number.MAX_SAFE_INTEGER, events.length + 1, events.length - PAGE, PAGE, 1]) {
			const page = await host.request(threadRead, { threadId, before, limit: PAGE });
			assert.deepEqual(page.events, events.slice(Math.max(0, Math.min(before - 1, events.length) - PAGE), before - 1));
		}
		const whole = await host.request(threadRead, { threadId, limit: 100_000 });
		assert.deepEqual(whole.events, events);

		assert.equal((await runTurn(host, threadId, "And then?")).text, "Going on.");
		const { input } = bodyOf(model.requests[0] ?? assert.fail());
		const asked = input.filter((item) => item.type === "message" && item.role === "user");
		// Each turn's question, this one's, and what the host tells of the workspace.
		assert.equal(asked.length, TURNS + 2);
		assert.deepEqual(eventsOf(readRecords(home, threadId)), [...events, ...durable(host.events(threadId))]);
		const memory = memoryOf(host.pid);
		t.diagnostic(`${long.records.length} lines; memory used by the host ${memory.toFixed(0)} MB`);
		assert.ok(memory < MOST_MB, `${memory} MB`);
	}));

test(`a thread of ${TURNS} turns whose last one was cut off is ended and continued by the next host`, (t) =>
	withKillWorld(t, async (kill) => {
		const long = writeLongThread(kill.world.home, "long", TURNS);
		const { threadId, events } = long;
		const model = await kill.model((_, index) => (index === 0 ? { kind: "hang" } : says("Going on.")));
		const first = await kill.start(withRoom(kill.specFor(model)));
		const running = runTurn(first, threadId, "Never answered").catch(() => undefined);
		await model.requestNumber(1);
		await first.killHard();
		await running;

		const next = await kill.start(withRoom(kill.specFor(model)));
		const { last } = await next.request(threadResume, { threadId });
		const tail = await next.request(threadRead, { threadId, after: events.length });
		assert.equal(tail.events.at(-1)?.seq, last);
		const end = tail.events.at(-1)?.event;
		assert.ok(end?.type === "turnCompleted");
		assert.deepEqual([end.status, end.error?.code], ["interrupted", "host-ended"]);
		assert.equal((await runTurn(next, threadId, "And now?")).text, "Going on.");
		assert.deepEqual(eventsOf(readRecords(kill.world.home, threadId)).slice(0, events.length), events);
	}));
