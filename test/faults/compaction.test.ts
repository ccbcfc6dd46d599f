import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { HistoryItem } from "../../agent-host/history/history-item.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { afterKill } from "../support/crash.ts";
import { createMemoryDisk, type DiskOperation } from "../support/memory-disk.ts";
import { aSession } from "../support/memory-session.ts";

/** The thread at some moment: how many disk operations it took, and what the model would be sent. */
interface Moment {
	readonly operations: number;
	readonly history: readonly HistoryItem[];
}

let threadId: ThreadId;
let operations: readonly DiskOperation[] = [];
const moments: Record<"before" | "compacted" | "undone", Moment[]> = { before: [], compacted: [], undone: [] };

before(async () => {
	const disk = createMemoryDisk();
	const { session, runTurn } = await aSession(disk);
	threadId = session.threads.start({ cwd: undefined, settings: {} });
	const thread = await session.threads.open(threadId);
	const note = (moment: keyof typeof moments): void => {
		moments[moment].push({ operations: disk.operations.length, history: [...thread.state().history] });
	};
	await runTurn(threadId, "First question.");
	await runTurn(threadId, "Give me a long answer.");
	note("before");
	await session.compaction.compact({ threadId });
	await thread.running?.ended;
	note("compacted");
	await session.compaction.undo(threadId);
	note("undone");
	operations = [...disk.operations];
});

test("after kill -9 at every disk operation of a compaction, the history is the old one or the new one", async (t) => {
	const seen = await reopenBetween("before", "compacted");
	const [old, fresh] = [moments.before[0]?.history, moments.compacted[0]?.history];
	for (const history of seen) assert.ok(isSame(history, old) || isSame(history, fresh));
	assert.ok(seen.some((history) => isSame(history, old)) && seen.some((history) => isSame(history, fresh)));
	t.diagnostic(`old or new at each of ${seen.length} crash points, never neither`);
});

test("after kill -9 at every disk operation of an undo, the history is the compacted one or the restored one", async () => {
	const seen = await reopenBetween("compacted", "undone");
	const [old, fresh] = [moments.compacted[0]?.history, moments.undone[0]?.history];
	for (const history of seen) assert.ok(isSame(history, old) || isSame(history, fresh));
	assert.ok(seen.some((history) => isSame(history, old)) && seen.some((history) => isSame(history, fresh)));
	assert.deepEqual(moments.undone[0]?.history, moments.before[0]?.history);
});

test("a thread cut off in the middle of its compaction continues, and can be compacted again", async () => {
	const cut = (moments.before[0]?.operations ?? 0) + 3;
	const { session, runTurn } = await aSession(createMemoryDisk(filesAfter(cut, 0)));
	await runTurn(threadId, "And now?");
	await session.compaction.compact({ threadId });
	const thread = await session.threads.open(threadId);
	await thread.running?.ended;
	assert.ok(thread.state().history.some((item) => item.kind === "fragment" && item.fragment === "compacted-context"));
});

test("after a restart a compaction can still be undone, and what it dropped can still be read", async () => {
	const { session } = await aSession(createMemoryDisk(filesAfter(moments.compacted[0]?.operations ?? 0)));
	const thread = await session.threads.open(threadId);
	assert.equal(thread.state().droppedTurns.length, 2);
	await session.compaction.undo(threadId);
	assert.deepEqual(await thread.readHistory(), moments.before[0]?.history);
	assert.deepEqual(thread.state().droppedTurns, []);
});

async function reopenBetween(from: keyof typeof moments, to: keyof typeof moments): Promise<HistoryItem[][]> {
	const [first, last] = [moments[from][0]?.operations ?? 0, moments[to][0]?.operations ?? 0];
	assert.ok(last > first);
	const seen: HistoryItem[][] = [];
	for (let made = first; made <= last; made += 1) {
		const operation = operations[made - 1];
		const length = operation?.op === "write" ? operation.bytes.length : 0;
		for (const torn of new Set([length, 0, 1, Math.floor(length / 2), Math.max(0, length - 1)])) {
			const { session } = await aSession(createMemoryDisk(filesAfter(made, torn)));
			const thread = await session.threads.open(threadId);
			seen.push([...(await thread.readHistory())]);
		}
	}
	return seen;
}

function filesAfter(made: number, torn?: number): ReadonlyMap<string, Buffer> {
	const prefix = operations.slice(0, made);
	const last = prefix.at(-1);
	return afterKill(prefix, torn ?? (last?.op === "write" ? last.bytes.length : 0));
}

function isSame(a: readonly HistoryItem[], b: readonly HistoryItem[] | undefined): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
