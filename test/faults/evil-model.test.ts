import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { createRandom } from "../support/crash.ts";
import { MISDEEDS, misbehave, misbehaveAtRandom } from "../support/evil-model.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { type Step, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { assertCounted, assertTurnsApart, durable, eventsOf, readRecords } from "../support/sigkill-checks.ts";
import { type KillWorld, withKillWorld } from "../support/sigkill-world.ts";

const SEEDS = process.env.VITRINE_FULL === "1" ? 100 : 6;
const MOST_AT_ONCE = 8;
const WHOLE_THREAD = { limit: 100_000 };

interface Victim {
	readonly kill: KillWorld;
	readonly model: FakeModel;
	readonly host: HostProcess;
	readonly threads: ThreadId[];
	/** What the model answers next; after that it behaves. */
	readonly expose: (step: Step) => void;
}

test("one host survives every misdeed of a model, one after the other and all of them at once", (t) =>
	withVictim(t, async (victim) => {
		for (const [name, misdeed] of Object.entries(MISDEEDS)) {
			await t.test(`${name}: the thread can be read and continued, and no call runs twice`, async () => {
				await survive(victim, misbehave(misdeed, createRandom(1)));
			});
		}
		await t.test(`the host survives ${SEEDS} answers with misdeeds of every kind in random order`, async () => {
			for (let seed = 1; seed <= SEEDS; seed += 1) {
				try {
					await survive(victim, misbehaveAtRandom(createRandom(seed)));
				} catch (error) {
					throw new Error(`seed ${seed}`, { cause: error });
				}
			}
		});
	}));

async function survive(victim: Victim, step: Step): Promise<void> {
	const { kill, host, model, threads, expose } = victim;
	expose(step);
	const threadId = await aThread(host);
	threads.push(threadId);
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Help me." }] });
	const { end } = await endOfTurn(host, threadId, turnId);
	assert.notEqual(end.error?.code, "internal", end.error?.message);
	assert.ok(runningAtMost(host.events(threadId)) <= MOST_AT_ONCE);
	const begun = callsBegun(host.events(threadId));
	assert.deepEqual(begun, [...new Set(begun)]);

	assert.equal((await runTurn(host, threadId, "Are you still there?")).text, "Yes.");
	assertRequestIsSound(model);
	await assertReadable(host, kill.world.home, threadId);
	assert.deepEqual(
		host.received.logs.filter((line) => line.includes('"type":1')),
		[],
		"the host logs no error of its own",
	);
}

function callsBegun(published: readonly PublishedEvent[]): readonly string[] {
	return published.flatMap(({ event }) =>
		event.type === "itemStarted" && isCall(event.item) ? [event.item.callId] : [],
	);
}

/** What the model is sent next is what a server accepts: every call once, each with one output. */
function assertRequestIsSound(model: FakeModel): void {
	const { input } = bodyOf(model.requests.at(-1) ?? assert.fail());
	const ids = (type: string) => input.flatMap((item) => (item.type === type ? [item.call_id] : [])).sort();
	assert.deepEqual(ids("function_call_output"), ids("function_call"));
	assert.equal(new Set(ids("function_call")).size, ids("function_call").length);
}

async function assertReadable(host: HostProcess, home: string, threadId: ThreadId): Promise<void> {
	const { events } = await host.request(threadRead, { threadId, ...WHOLE_THREAD });
	assert.deepEqual(events, durable(host.events(threadId)));
	assert.deepEqual(events, eventsOf(readRecords(home, threadId)));
	assertCounted(
		events.map(({ seq }) => seq),
		"events",
	);
	assertTurnsApart(events.map(({ event }) => event));
}

/** Most tool calls that were under way at the same time. */
function runningAtMost(published: readonly PublishedEvent[]): number {
	const running = new Set<string>();
	let most = 0;
	for (const { event } of published) {
		if (event.type !== "itemStarted" && event.type !== "itemCompleted") continue;
		if (!isCall(event.item)) continue;
		if (event.type === "itemStarted") running.add(event.item.id);
		else running.delete(event.item.id);
		most = Math.max(most, running.size);
	}
	return most;
}

/** A host among canaries. In the end another one reads every thread the same way. */
async function withVictim(t: TestContext, body: (victim: Victim) => Promise<void>): Promise<void> {
	await withKillWorld(t, async (kill) => {
		let next: Step | undefined;
		const model = await kill.model(() => {
			const step = next ?? says("Yes.");
			next = undefined;
			return step;
		});
		const host = await kill.start(kill.specFor(model));
		const threads: ThreadId[] = [];
		await body({
			kill,
			model,
			host,
			threads,
			expose: (step) => {
				next = step;
			},
		});
		await host.close();
		const another = await kill.start(kill.specFor(model));
		for (const threadId of threads) {
			const { events } = await another.request(threadRead, { threadId, ...WHOLE_THREAD });
			assert.deepEqual(events, durable(host.events(threadId)));
		}
	});
}
