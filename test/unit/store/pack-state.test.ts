import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { REAL_DISK } from "../../../agent-host/store/home/disk.ts";
import { openBlobs } from "../../../agent-host/store/log/blobs.ts";
import { createKeeper } from "../../../agent-host/store/log/keep-growing.ts";
import { leastToKeep } from "../../../agent-host/store/log/kept-state.ts";
import { loadThread } from "../../../agent-host/store/log/load-thread.ts";
import { packState, type Saved, unpackState } from "../../../agent-host/store/log/pack-state.ts";
import { emptyState, type ThreadState } from "../../../agent-host/store/records/thread-state.ts";
import { writeLongThread } from "../../support/a-long-thread.ts";

const top = mkdtempSync(join(tmpdir(), "vitrine-pack-"));
after(() => rmSync(top, { recursive: true, force: true }));

const SHA = "0".repeat(64);

function saved(change: Partial<ThreadState>): Saved {
	const threadId = ThreadId.parse("packed");
	const state = { ...emptyState(threadId, { settings: {}, baseInstructions: "Be helpful." }, 1), ...change };
	const events = {
		seqs: new Float64Array([1, 2]),
		starts: new Float64Array([0, 9]),
		lengths: new Uint32Array([8, 8]),
	};
	const fold = { state, admitted: { newest: undefined, isEnvelopeOurs: true } };
	return { fold, last: { n: 2, at: 1 }, newest: new Map(), held: ["{}"], isOpen: true, events };
}

test("packed state unpacks unchanged, however many items are in a piece", async () => {
	const { path } = writeLongThread(top, "long", 20);
	const { state } = await loadThread(REAL_DISK, path, openBlobs(REAL_DISK, path));
	assert.ok(state !== undefined);
	const starts = [{ turnId: TurnId.parse("old"), at: 0 }, ...state.turnStarts];
	for (const whole of [saved({}), saved(state), saved({ ...state, turnStarts: starts })]) {
		for (const items of [1, 3, 1_000]) {
			const pieces = await packState(whole, items);
			assert.equal(pieces.length, 1 + Math.ceil(whole.fold.state.history.length / items));
			assert.deepEqual(await unpackState(pieces), whole);
		}
	}
});

test("a text still in a blob belongs to its exact history item, even if a compaction shares it", async () => {
	const items: HistoryItem[] = ["a", "b", "c", "d"].map((text) => ({ kind: "agentMessage", text }));
	const [, second, , last] = items;
	assert.ok(second !== undefined && last !== undefined);
	const gone: HistoryItem = { kind: "agentMessage", text: "gone" };
	const unread = [second, last, gone].map((item) => ({ item, path: ["text"], sha256: SHA }));
	const before = { turnStarts: [], droppedTurns: [], lastUsage: undefined, replacement: 1 };
	const whole = [
		saved({ history: items, unread }),
		saved({ history: items, unread, beforeCompaction: { ...before, history: [second, last] } }),
	];
	for (const one of whole) {
		const { state } = (await unpackState(await packState(one, 3))).fold;
		assert.deepEqual(state, one.fold.state);
		assert.equal(state.unread[0]?.item, state.history[1]);
		assert.equal(state.unread[1]?.item, state.history[3]);
		if (state.beforeCompaction !== undefined) assert.equal(state.beforeCompaction.history[0], state.history[1]);
	}
});

/** A keeper that notes when it keeps; what it comes to is decided by the test. */
function aKeeper(unkept: number, comesTo: () => Promise<number>) {
	let kept = 0;
	const keep = (): Promise<number> => {
		kept += 1;
		return comesTo();
	};
	const writing = Promise.resolve();
	return {
		keeper: createKeeper({ disk: REAL_DISK, keep, bytes: unkept, unkept, leastOf: () => 100, writing }),
		times: () => kept,
	};
}

const turns = async () => {
	for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

test("a thread is kept again whenever enough was added and no turn is open", async () => {
	const { keeper, times } = aKeeper(60, async () => 0);
	for (const [bytes, isDone, kept] of [
		[39, true, 0],
		[1, false, 0],
		[0, true, 1],
		[99, true, 1],
		[1, true, 2],
	] as const) {
		keeper.grown(bytes, isDone);
		await turns();
		assert.equal(times(), kept);
	}
});

test("the longer a thread, the more must be added before it is kept again", async () => {
	let kept = 0;
	const keep = async () => {
		kept += 1;
		return 0;
	};
	const options = { disk: REAL_DISK, keep, bytes: 1_000, unkept: 0, writing: Promise.resolve() };
	const keeper = createKeeper({ ...options, leastOf: (bytes) => bytes / 10 });
	for (const [bytes, times] of [
		[100, 0],
		[12, 1],
		[112, 1],
		[12, 2],
	] as const) {
		keeper.grown(bytes, true);
		await turns();
		assert.equal(kept, times);
	}
	assert.deepEqual([1e6, 8e6, 1e8].map(leastToKeep), [250_000, 500_000, 1_000_000]);
});

test("a thread that cannot be kept is not read again and again, and a closed one not at all", async () => {
	for (const { keeper, times } of [
		aKeeper(0, async () => 500),
		aKeeper(0, () => Promise.reject(new Error("The disk fails."))),
	]) {
		keeper.grown(500, true);
		await turns();
		keeper.grown(500, true);
		await turns();
		assert.equal(times(), 1);
	}
	const damaged = aKeeper(500, async () => 0);
	damaged.keeper.grown(500, true);
	const closed = aKeeper(0, async () => 0);
	await closed.keeper.close();
	closed.keeper.grown(500, true);
	await turns();
	assert.deepEqual([damaged.times(), closed.times()], [0, 0]);
});

test("closing a thread stops the reading of what would be kept, and waits for what is being written", async () => {
	const { path } = writeLongThread(top, "closed", 2);
	let outcome = "";
	const read = Promise.withResolvers<void>();
	const keeper = createKeeper({
		...{ disk: REAL_DISK, bytes: 0, unkept: 0, leastOf: () => 1, writing: Promise.resolve() },
		keep: async (disk) => {
			const file = await disk.openRead(path);
			await file.read(Buffer.alloc(1), 0);
			read.resolve();
			await turns();
			outcome = await file.read(Buffer.alloc(1), 1).then(
				() => "read on",
				() => "stopped",
			);
			await file.close();
			return 0;
		},
	});
	keeper.grown(1, true);
	await read.promise;
	await keeper.close();
	assert.equal(outcome, "stopped");
});
