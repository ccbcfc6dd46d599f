import assert from "node:assert/strict";
import { test } from "node:test";
import { HOST_METHODS } from "../../agent-host/protocol/catalog.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { Method } from "../../agent-host/protocol/method.ts";
import {
	threadArchive,
	threadDelete,
	threadList,
	threadRead,
	threadRename,
	threadResume,
	threadRollback,
} from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, RpcError, runTurn } from "../support/host-process.ts";
import { filesUnder, textUnder } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { shareRestarts } from "./rig/share-restarts.ts";
import { withHost } from "./rig/with-host.ts";

const answers = () => says("ok");
const withShared = shareHost({});
const testRestarts = shareRestarts({ script: answers });
const INTERNAL_ERROR = -32_603;
/** So many that they take two pages, and below a hundred for the sake of their names. */
const THREADS = 60;

test(`${THREADS} threads are listed newest first, page by page, by this host and by the next`, (t) =>
	withHost(t, { script: answers }, async ({ host, another }) => {
		const made: ThreadId[] = [];
		for (let number = 0; number < THREADS; number += 1) {
			const threadId = await aThread(host);
			await runTurn(host, threadId, `task ${number}`);
			made.unshift(threadId);
		}
		const limit = THREADS - 20;
		for (const one of [host, await another()]) {
			const first = await one.request(threadList, { limit });
			const second = await one.request(threadList, {
				limit,
				...(first.nextCursor ? { cursor: first.nextCursor } : {}),
			});
			const ids = [...first.threads, ...second.threads].map(({ threadId }) => threadId);
			assert.deepEqual([first.threads.length, second.nextCursor], [limit, undefined]);
			assert.deepEqual(new Set(ids), new Set(made));
			const times = [...first.threads, ...second.threads].map(({ updatedAt }) => updatedAt);
			assert.deepEqual(
				times,
				times.toSorted((a, b) => b - a),
			);
		}
		assert.deepEqual(
			(await host.request(threadList, { query: "TASK 5" })).threads.map(({ title }) => title).sort(),
			["task 5", ...Array.from({ length: 10 }, (_, digit) => `task 5${digit}`)].sort(),
		);
	}));

test("a summary holds everything the list shows", (t) =>
	withShared(t, answers, async ({ host, world }) => {
		const threadId = await aThread(host);
		const before = Date.now();
		await runTurn(host, threadId, "  Fix the greeting\nand more  ");
		const [summary] = (await host.request(threadList, {})).threads;
		assert.ok(summary && summary.updatedAt >= before && summary.updatedAt <= Date.now());
		assert.deepEqual(
			{ ...summary, updatedAt: 0, percentLeft: typeof summary.percentLeft },
			{
				threadId,
				title: "Fix the greeting",
				preview: "Fix the greeting",
				cwd: world.workspace,
				model: "fake-1",
				approval: "onRequest",
				permissionMode: "workspaceWrite",
				percentLeft: "number",
				turns: 1,
				updatedAt: 0,
				archived: false,
				running: false,
			},
		);
	}));

testRestarts(
	"rolling back a turn removes its remaining context from the list, also after a restart",
	async ({ host, restart }) => {
		const threadId = await aThread(host);
		const leftIn = async (of: typeof host) => (await listed(of, threadId))?.percentLeft;
		await runTurn(host, threadId, "one");
		await runTurn(host, threadId, "two");
		assert.equal(typeof (await leftIn(host)), "number");
		await host.request(threadRollback, { threadId, turns: 1 });
		assert.ok(await listed(host, threadId));
		assert.equal(await leftIn(host), undefined);
		const next = await restart();
		assert.ok(await listed(next, threadId));
		assert.equal(await leftIn(next), undefined);
		await runTurn(next, threadId, "three");
		assert.equal(typeof (await leftIn(next)), "number");
	},
);

testRestarts("a new title survives a restart and is published as an event", async ({ host, restart }) => {
	const threadId = await aThread(host);
	await runTurn(host, threadId, "first words");
	await host.request(threadRename, { threadId, title: "  A better name  " });
	await host.waitFor(threadId, (event) => event.type === "titleChanged" && event.title === "A better name");
	assert.equal((await listed(host, threadId))?.title, "A better name");
	const next = await restart();
	const summary = await listed(next, threadId);
	assert.equal(summary?.title, "A better name");
	assert.equal((await next.request(threadRead, { threadId })).title, "A better name");
	assert.equal(summary?.preview, "first words", "what was asked for stays in sight");
});

testRestarts(
	"archiving hides a thread, also after a restart, and unarchiving brings it back",
	async ({ host, restart }) => {
		const threadId = await aThread(host);
		const titlesIn = async (of: HostProcess) => [
			(await listed(of, threadId))?.title,
			(await listed(of, threadId, true))?.title,
		];
		await runTurn(host, threadId, "old work");
		await host.request(threadArchive, { threadId });
		assert.deepEqual(await titlesIn(host), [undefined, "old work"]);
		const next = await restart();
		assert.deepEqual(await titlesIn(next), [undefined, "old work"]);
		await next.request(threadArchive, { threadId, archived: false });
		assert.deepEqual(await titlesIn(next), ["old work", undefined]);
	},
);

test("deleting removes the thread and every trace of its text", (t) =>
	withHost(t, { script: answers }, async ({ host, world, another }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "words to forget");
		await runTurn(host, await aThread(host), "words to keep");
		await host.request(threadList, {});
		await host.request(threadDelete, { threadId });
		for (const request of [threadRead, threadResume, threadDelete]) {
			await assert.rejects(host.request(request, { threadId }), { code: 1001 });
		}
		assert.deepEqual(await titles(host), ["words to keep"]);
		assert.equal(textUnder(world.home).includes("words to forget"), false);
		assert.equal(
			filesUnder(world.home).some((path) => path.includes(threadId)),
			false,
		);
		assert.deepEqual(await titles(await another()), ["words to keep"]);
	}));

test("an empty thread leaves nothing behind and is not listed", (t) =>
	withShared(t, [], async ({ host }) => {
		const before = await titles(host);
		const threadId = await aThread(host);
		assert.deepEqual(await titles(host), before);
		assert.deepEqual(await host.request(threadRead, { threadId }), { title: "New thread", events: [], last: 0 });
		await host.request(threadDelete, { threadId });
	}));

test("whatever needs only a thread's id is answered for an empty thread, or refused with a reason", (t) =>
	withShared(t, [], async ({ host }) => {
		const takes = (method: Method, params: object) => method.params.safeParse(params).success;
		const asked = Object.values(HOST_METHODS).filter(
			(method) => !takes(method, {}) && takes(method, { threadId: "an-id" }),
		);
		assert.ok(asked.length > 15, `${asked.length} methods`);
		for (const { name } of asked) {
			const threadId = await aThread(host);
			const refusal = await host.requestRaw(name, { threadId }).then(
				() => undefined,
				(error: unknown) => error,
			);
			assert.ok(!(refusal instanceof RpcError) || refusal.code !== INTERNAL_ERROR, `${name}: ${String(refusal)}`);
		}
	}));

test("settings of a thread and of a turn override those of the client", (t) =>
	withShared(t, answers, async ({ host, model }) => {
		const threadId = await aThread(host, { settings: { model: { id: "fake-2" } } });
		await runTurn(host, threadId, "first");
		const input = [{ kind: "text" as const, text: "second" }];
		const overrides = { settings: { model: { id: "fake-3" } } };
		const { turnId } = await host.request(turnStart, { threadId, input, overrides });
		await host.waitFor(threadId, (event) => event.type === "turnCompleted" && event.turnId === turnId);
		await runTurn(host, threadId, "third");
		assert.deepEqual(
			model.requests.map(({ body }) => (body as { model: string }).model),
			["fake-2", "fake-3", "fake-2"],
		);
	}));

async function titles(host: HostProcess): Promise<readonly string[]> {
	return (await host.request(threadList, {})).threads.map(({ title }) => title);
}

/** What the list says of a thread; nothing when it is not in it. */
async function listed(host: HostProcess, threadId: ThreadId, archived = false) {
	const { threads } = await host.request(threadList, { archived });
	return threads.find((thread) => thread.threadId === threadId);
}
