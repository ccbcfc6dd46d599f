import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import {
	threadDelete,
	threadList,
	threadRead,
	threadRename,
	threadResume,
} from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { createRandom } from "../support/crash.ts";
import { settlesInFairTime } from "../support/fair-time.ts";
import { calls, holds, says, together } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, RpcError, runTurn, startHeldTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { passMicroseconds } from "../support/sigkill.ts";
import {
	assertCallsOnce,
	assertTurnsApart,
	describeTimes,
	durable,
	eventsOf,
	readRecords,
	threadFile,
} from "../support/sigkill-checks.ts";
import { type KillWorld, killWithFamily, withKillWorld } from "../support/sigkill-world.ts";

const RACES = process.env.VITRINE_FULL === "1" ? 500 : 4;
const DELETIONS = process.env.VITRINE_FULL === "1" ? 200 : 4;
const WINDOWS = 3;
const RETRY_MS = 5;

interface Windows {
	readonly home: string;
	readonly all: HostProcess[];
	readonly replace: (gone: HostProcess) => Promise<void>;
}

test(`in ${RACES} races of three windows for a thread there is one writer and no fork, and a freed thread is soon taken over`, (t) =>
	withKillWorld(t, async (kill) => {
		const windows = await openWindows(kill);
		const takeovers: number[] = [];
		let refusals = 0;
		for (let seed = 1; seed <= RACES; seed += 1) {
			try {
				const race = await runRace(windows, createRandom(seed), seed);
				takeovers.push(race.takeover);
				refusals += race.refusals;
			} catch (error) {
				throw new Error(`race ${seed}`, { cause: error });
			}
		}
		t.diagnostic(`interleaved turns: 0, forks: 0 in ${RACES} races (${refusals} refusals)`);
		t.diagnostic(`takeover after the holder's death: ${describeTimes(takeovers)}`);
	}));

/** One window owns a thread and goes; the others have been asking for it all the time. */
async function runRace(
	windows: Windows,
	random: () => number,
	seed: number,
): Promise<{ readonly takeover: number; readonly refusals: number }> {
	const [holder, ...rivals] = shuffle(windows.all, random) as [HostProcess, ...HostProcess[]];
	const threadId = await aThread(holder);
	await runTurn(holder, threadId, `First of race ${seed}`);
	const acknowledged: TurnId[] = [];
	const attempt = (host: HostProcess, text: string) =>
		host.request(turnStart, { threadId, input: [{ kind: "text", text }] }).then(({ turnId }) => {
			acknowledged.push(turnId);
			return turnId;
		});

	for (const rival of rivals) await assertRefused(rival, holder, threadId);
	const last = attempt(holder, "Last words").catch(() => undefined);
	let taken = false;
	const chase = rivals.map(async (rival, index) => {
		await passMicroseconds(random() * 5_000);
		for (let refusals = 0; ; refusals += 1) {
			try {
				const turnId = await attempt(rival, `Window ${index} of race ${seed}`);
				taken = true;
				return { rival, turnId, refusals, at: performance.now() };
			} catch (error) {
				// Who took it a moment ago may not have put its name there yet, so the name is not looked at.
				assertBusy(error);
			}
			await pause(RETRY_MS);
			if (taken) return { rival, turnId: undefined, refusals, at: Number.POSITIVE_INFINITY };
		}
	});
	await passMicroseconds(random() * 30_000);
	if (random() < 0.75) await killWithFamily(holder);
	else await holder.close();
	const gone = performance.now();
	await last;

	const results = await settlesInFairTime(Promise.all(chase), 1_000, () => "nobody takes the thread over");
	const winners = results.filter(({ turnId }) => turnId !== undefined);
	assert.equal(winners.length, 1, "one window takes the thread over");
	const [winner] = winners;
	assert.ok(winner?.turnId !== undefined);
	await endOfTurn(winner.rival, threadId, winner.turnId);
	for (const { rival } of results) if (rival !== winner.rival) await assertRefused(rival, winner.rival, threadId);
	await winner.rival.request(threadRename, { threadId, title: `Race ${seed}` });
	assertOneWriter(windows.home, threadId, acknowledged);
	for (const rival of rivals) {
		const { events, title } = await rival.request(threadRead, { threadId });
		assert.deepEqual([title, events], [`Race ${seed}`, eventsOf(readRecords(windows.home, threadId))]);
	}
	await windows.replace(holder);
	return { takeover: Math.max(0, winner.at - gone), refusals: results.reduce((sum, one) => sum + one.refusals, 0) };
}

/** A window that may not write says why, and still shows the thread. */
async function assertRefused(rival: HostProcess, holder: HostProcess, threadId: ThreadId): Promise<void> {
	const refused = rival.request(turnStart, { threadId, input: [{ kind: "text", text: "Mine?" }] });
	await assert.rejects(refused, (error) => {
		assertBusy(error);
		return isHeldBy(error, holder);
	});
	const { events } = await rival.request(threadRead, { threadId });
	const { events: own } = await holder.request(threadRead, { threadId });
	assert.deepEqual(events, own);
	const { threads } = await rival.request(threadList, { limit: 1_000 });
	assert.ok(threads.some((thread) => thread.threadId === threadId));
}

function assertBusy(error: unknown): void {
	assert.ok(error instanceof RpcError, String(error));
	assert.deepEqual([error.code, (error.data as { readonly kind: string }).kind], [1004, "thread-busy"], error.message);
}

function isHeldBy(error: unknown, { pid }: HostProcess): boolean {
	return error instanceof Error && error.message.includes(`process ${pid})`);
}

function assertOneWriter(home: string, threadId: ThreadId, acknowledged: readonly TurnId[]): void {
	const records = readRecords(home, threadId);
	const events = eventsOf(records).map(({ event }) => event);
	assertTurnsApart(events);
	assertCallsOnce(records);
	const begun = events.flatMap((event) => (event.type === "turnStarted" ? [event.turnId] : []));
	for (const turnId of acknowledged) assert.equal(begun.filter((id) => id === turnId).length, 1, `turn ${turnId}`);
	const files = readdirSync(join(home, "threads")).filter((name) => name.startsWith(threadId));
	assert.deepEqual(
		files.filter((name) => /\.jsonl\.\d+$/.test(name)),
		[],
		"the thread has no second file",
	);
}

test(`each of ${DELETIONS} threads that one window deletes while another starts a turn is gone or has the turn`, (t) =>
	withKillWorld(t, async (kill) => {
		const windows = await openWindows(kill);
		const counts = { deleted: 0, kept: 0 };
		for (let seed = 1; seed <= DELETIONS; seed += 1) {
			const random = createRandom(seed);
			const [holder, rival, third] = shuffle(windows.all, random) as [HostProcess, HostProcess, HostProcess];
			const threadId = await aThread(holder);
			await runTurn(holder, threadId, `To be deleted ${seed}`);
			const deleted = holder.request(threadDelete, { threadId });
			const started = await chaseDeleted(rival, threadId, random);
			await deleted;
			if (started === undefined) {
				counts.deleted += 1;
				await assert.rejects(third.request(threadResume, { threadId }), { code: 1001 });
				assert.equal(existsSync(threadFile(windows.home, threadId)), false);
				continue;
			}
			counts.kept += 1;
			await endOfTurn(rival, threadId, started);
			const shown = durable(rival.events(threadId));
			const { events } = await third.request(threadRead, { threadId });
			assert.deepEqual(events.slice(-shown.length), shown, `race ${seed}: an acknowledged turn is lost`);
		}
		t.diagnostic(`${counts.deleted} deleted, ${counts.kept} kept with the other window's turn`);
	}));

/** Tries to start a turn until the thread is its own or gone. */
async function chaseDeleted(rival: HostProcess, threadId: ThreadId, random: () => number): Promise<TurnId | undefined> {
	await passMicroseconds(random() * 1_000);
	for (;;) {
		try {
			return (await rival.request(turnStart, { threadId, input: [{ kind: "text", text: "Wait!" }] })).turnId;
		} catch (error) {
			assert.ok(error instanceof RpcError, String(error));
			if (error.code === 1001) return undefined;
			assertBusy(error);
		}
	}
}

test("a window that only watches sees every event of a turn in another window, and takes over when that is killed", (t) =>
	withKillWorld(t, async (kill) => {
		const step = holds("Half of it", " and the rest.");
		const model = await kill.model((_, index) => [step, says("Taken over.")][index]);
		const [first, second] = [await kill.start(kill.specFor(model)), await kill.start(kill.specFor(model))];
		const { threadId, turnId } = await startHeldTurn(first, step);
		const seen = await second.request(threadRead, { threadId });
		assert.deepEqual(seen.events, durable(first.events(threadId)));
		await killWithFamily(first);
		await second.request(threadResume, { threadId });
		const { events } = await second.request(threadRead, { threadId });
		assert.deepEqual(events.slice(0, seen.events.length), seen.events);
		const end = events.at(-1)?.event;
		assert.ok(end?.type === "turnCompleted" && end.turnId === turnId);
		assert.deepEqual([end.status, end.error?.code], ["interrupted", "host-ended"]);
		assert.equal((await runTurn(second, threadId, "Mine now")).text, "Taken over.");
		assertOneWriter(kill.world.home, threadId, [turnId]);
	}));

async function openWindows(kill: KillWorld): Promise<Windows> {
	const model = await kill.model((request) => {
		const { input } = bodyOf(request);
		return input.at(-1)?.type === "function_call_output"
			? says("Done.")
			: together(says("Looking."), calls("read_file", { path: "README.md" }));
	});
	const start = () => kill.start(kill.specFor(model));
	const all = await Promise.all(Array.from({ length: WINDOWS }, start));
	const replace = async (gone: HostProcess) => {
		all[all.indexOf(gone)] = await start();
	};
	return { home: kill.world.home, all, replace };
}

function shuffle<T>(values: readonly T[], random: () => number): readonly T[] {
	return values
		.map((value) => ({ value, key: random() }))
		.sort((a, b) => a.key - b.key)
		.map(({ value }) => value);
}
