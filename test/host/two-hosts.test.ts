import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { reviewList, reviewReject } from "../../agent-host/protocol/thread/review.ts";
import {
	threadArchive,
	threadClose,
	threadDelete,
	threadFork,
	threadList,
	threadRead,
	threadRename,
	threadResume,
} from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { MAX_IDLE_THREADS } from "../../agent-host/session/thread/threads.ts";
import type { World } from "../support/canaries.ts";
import { calls, holds, says } from "../support/fake-model-steps.ts";
import {
	aThread,
	endOfTurn,
	type HostProcess,
	type RpcError,
	runTurn,
	startHeldTurn,
} from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { eventually } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const OK = () => says("Ok.");
const withShared = shareHost({});

function fileOf({ home }: World, threadId: ThreadId): string {
	return join(home, "threads", `${threadId}.jsonl`);
}

test("a closed thread can be used by another host; one with a running turn cannot", (t) => {
	const step = holds("Half", " and half.");
	return withShared(t, [says("Ok."), step, says("Ok.")], async ({ host, beside }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "here");
		const { threadId: busy, turnId } = await startHeldTurn(host, step, { text: "still here" });
		for (const id of [threadId, busy]) await host.request(threadClose, { threadId: id });
		const other = await beside();
		assert.equal((await runTurn(other, threadId, "there")).end.status, "completed");
		await assert.rejects(other.request(threadRename, { threadId: busy, title: "x" }), /thread-busy|another/i);
		step.release();
		await endOfTurn(host, busy, turnId);
	});
});

test("changes of a thread that another host has are not rejected, and their files stay as they are", (t) => {
	const script = [calls("apply_patch", { patch: aPatch("*** Update File: k.txt", "@@", "-a", "+A") }), says("Ok.")];
	return withShared(t, script, async ({ host, beside, world }) => {
		const path = join(world.workspace, "k.txt");
		writeFileSync(path, "a\nb\n");
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Patch it.");
		const other = await beside();
		const { files } = await other.request(reviewList, { threadId });
		assert.equal(files[0]?.hunks.length, 1, "they are shown there, too");
		await assert.rejects(other.request(reviewReject, { threadId }), /open in another window/);
		assert.equal(readFileSync(path, "utf8"), "A\nb\n");
		assert.deepEqual((await host.request(reviewList, { threadId })).files, files);
	});
});

test("a second host reads a thread whose turn runs elsewhere, and cannot change it", (t) => {
	const step = holds("Half", " and half.");
	return withShared(t, [step], async ({ host, beside, world }) => {
		const { threadId, turnId } = await startHeldTurn(host, step, { text: "shared" });
		const file = fileOf(world, threadId);
		const before = readFileSync(file);
		const other = await beside();

		const ids = async (of: HostProcess) => (await of.request(threadList, {})).threads.map((thread) => thread.threadId);
		const listed = await ids(other);
		assert.deepEqual(listed, await ids(host));
		assert.equal(listed.filter((id) => id === threadId).length, 1);
		const { events } = await other.request(threadRead, { threadId });
		assert.deepEqual(
			events,
			host.events(threadId).filter(({ seq }) => seq !== undefined),
		);
		for (const [what, request] of changes(other, threadId)) {
			const isBusy = (error: RpcError) => {
				const values = { owner: String(host.pid) };
				assert.deepEqual(
					[error.code, error.data],
					[1004, { kind: "thread-busy", sentence: "thread-open-elsewhere", values }],
					what,
				);
				return error.message.includes(String(host.pid));
			};
			await assert.rejects(request(), isBusy, what);
		}
		// The holder itself may have added a checkpoint meanwhile; the earlier bytes are unchanged.
		assert.deepEqual(readFileSync(file).subarray(0, before.length), before);
		step.release();
		assert.equal((await endOfTurn(host, threadId, turnId)).text, "Half and half.");
		assert.equal(readFileSync(file, "utf8").split('"turnCompleted"').length - 1, 1);
	});
});

test("a thread whose host was killed is free at once", (t) => {
	const step = holds("Half", "");
	return withShared(t, [step, says("Taken over.")], async ({ beside, another }) => {
		const [host, other] = [await another(), await beside()];
		const { threadId } = await startHeldTurn(host, step, { text: "shared" });
		const refused = other.request(turnStart, { threadId, input: [{ kind: "text", text: "mine?" }] });
		await assert.rejects(refused, { code: 1004 });
		await host.killHard();
		assert.equal((await runTurn(other, threadId, "mine now")).text, "Taken over.");
	});
});

test("a host that shuts down leaves its threads to others", (t) =>
	withShared(t, OK, async ({ beside, another }) => {
		const [host, other] = [await another(), await beside()];
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		await host.close();
		assert.equal((await runTurn(other, threadId, "second")).end.status, "completed");
	}));

test("what one host has written, another one that read the thread before sees too", (t) =>
	withShared(t, OK, async ({ host, beside }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		const other = await beside();
		const first = await other.request(threadRead, { threadId });
		await runTurn(host, threadId, "second");
		const second = await other.request(threadRead, { threadId });
		assert.ok(second.last > first.last, `${second.last} events after ${first.last}`);
		const { threads } = await other.request(threadList, {});
		assert.deepEqual([threads[0]?.threadId, threads[0]?.turns], [threadId, 2]);
	}));

test("two hosts that start turns on one thread at the same moment do not both run", (t) =>
	withShared(t, OK, async ({ host, beside, world }) => {
		const rivals = [host, await beside()];
		for (const threadId of await idleThreads(host, 5)) {
			const results = await Promise.allSettled(rivals.map((rival) => runTurn(rival, threadId, "Mine.")));
			assert.ok(results.some(({ status }) => status === "fulfilled"));
			const numbers = [...readFileSync(fileOf(world, threadId), "utf8").matchAll(/"n":(\d+)/g)].map((match) =>
				Number(match[1]),
			);
			assert.deepEqual(
				numbers,
				numbers.map((_, index) => index + 1),
				"records are numbered without gaps or repeats",
			);
		}
	}));

/** Threads with a turn that no host has open. */
async function idleThreads(host: HostProcess, count: number): Promise<readonly ThreadId[]> {
	const threadId = await aThread(host);
	await runTurn(host, threadId, "first");
	const forks = Array.from({ length: count }, () => host.request(threadFork, { threadId }));
	return (await Promise.all(forks)).map((fork) => fork.threadId);
}

function changes(host: HostProcess, threadId: ThreadId): readonly (readonly [string, () => Promise<unknown>])[] {
	return [
		["turn/start", () => host.request(turnStart, { threadId, input: [{ kind: "text", text: "me too" }] })],
		["thread/rename", () => host.request(threadRename, { threadId, title: "mine" })],
		["thread/archive", () => host.request(threadArchive, { threadId })],
		["thread/delete", () => host.request(threadDelete, { threadId })],
	];
}

test("a host releases idle threads: another host may write them, and it reopens them itself", (t) =>
	withShared(t, OK, async ({ host, beside }) => {
		const threads: ThreadId[] = [];
		for (const threadId of await idleThreads(host, MAX_IDLE_THREADS)) {
			await host.request(threadResume, { threadId });
			threads.push(threadId);
		}
		for (let count = 0; count < 3; count += 1) {
			const threadId = await aThread(host);
			await runTurn(host, threadId, `Thread ${count}`);
			threads.push(threadId);
		}
		const [first, second] = threads as [ThreadId, ThreadId];
		const other = await beside();
		assert.equal((await runTurn(other, first, "Mine now.")).text, "Ok.");
		assert.equal((await runTurn(host, second, "Still mine.")).text, "Ok.");
		await assert.rejects(runTurn(other, second, "And mine?"), /open in another window/);
		await assert.rejects(runTurn(other, threads.at(-1) as ThreadId, "And mine?"), /open in another window/);
	}));

test("turns that start at once in many threads all complete", (t) =>
	withShared(t, OK, async ({ host }) => {
		const threads = await Promise.all(Array.from({ length: 2 * MAX_IDLE_THREADS }, () => aThread(host)));
		for (const round of ["one", "two"]) {
			const ends = await Promise.all(threads.map((threadId) => runTurn(host, threadId, round)));
			assert.deepEqual([...new Set(ends.map(({ text }) => text))], ["Ok."]);
		}
	}));

test("each host on a home runs commands: the first, a second beside it, and one started after both are gone", (t) =>
	withHost(
		t,
		{ script: (_, index) => (index % 2 === 0 ? calls("run_command", { command: "echo ran" }) : says("Done.")) },
		async ({ host, another }) => {
			assert.equal(await outputOfCommand(host), "ran\n");
			const second = await another();
			assert.equal(await outputOfCommand(second), "ran\n");
			assert.equal(await outputOfCommand(host), "ran\n");
			await host.close();
			await second.close();
			assert.equal(await outputOfCommand(await another()), "ran\n");
		},
	));

const PLANTS_LATE = "echo > ready; until [ -e go ]; do sleep 0.02; done; echo OBEY-ME > AGENTS.md; sleep 60";

test("a host beside a killed one does not obey what a command planted as that host died", (t) =>
	withHost(
		t,
		{ script: [calls("run_command", { command: PLANTS_LATE }), says("Ok.")] },
		async ({ host: beside, another, world, model }) => {
			const host = await another();
			const at = (name: string) => join(world.workspace, name);
			const threadId = await aThread(host);
			await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Run it." }] });
			await eventually(() => existsSync(at("ready")), 10_000, "the command did not begin");
			// It cannot see what happens now.
			process.kill(host.pid, "SIGSTOP");
			writeFileSync(at("go"), "");
			await eventually(() => existsSync(at("AGENTS.md")), 10_000, "the command planted nothing");
			await host.killHard();
			assert.equal((await runTurn(beside, await aThread(beside), "Go on.")).end.status, "completed");
			assert.doesNotMatch(JSON.stringify(model.requests.at(-1)?.body), /OBEY-ME/);
			assert.equal(existsSync(at("AGENTS.md")), false);
		},
	));

/** What the command of a new thread's only turn has printed. */
async function outputOfCommand(host: HostProcess): Promise<string | undefined> {
	const { published } = await runTurn(host, await aThread(host), "Run it.");
	const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
	return /Output:\n([\s\S]*)/.exec(items.find(isCall)?.output ?? "")?.[1];
}
