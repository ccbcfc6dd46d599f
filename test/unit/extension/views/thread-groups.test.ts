import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadSummary } from "../../../../agent-host/protocol/thread/thread.ts";
import { arrangeThreads, chooseThreadIcon, type ThreadRow } from "../../../../extension/views/threads/thread-groups.ts";

function aThread(threadId: string, cwd?: string): ThreadSummary {
	const facts = { title: threadId, preview: "", model: "m", turns: 1, updatedAt: 0, archived: false, running: false };
	return ThreadSummary.parse({ threadId, ...facts, ...(cwd === undefined ? {} : { cwd }) });
}

function shape(row: ThreadRow): unknown {
	return row.kind === "thread" ? row.thread.threadId : [row.folder, ...row.rows.map(shape)];
}

test("pinned threads come first; the others keep their order, alone or under their folders", () => {
	const threads = [aThread("a", "/x"), aThread("b"), aThread("c", "/y"), aThread("d", "/x")];
	const pinned = new Set(["c", "gone"]);
	const arrange = (order: "plain" | "byFolder") =>
		arrangeThreads(threads, { order, which: "current", pinned }).map(shape);
	assert.deepEqual(arrange("plain"), ["c", "a", "b", "d"]);
	assert.deepEqual(arrange("byFolder"), ["c", ["/x", "a", "d"], ["", "b"]]);
});

test("a thread that needs an answer is marked as such, also while it runs or is pinned", () => {
	const icons = [true, false].flatMap((isWaiting) =>
		[true, false].map((running) => chooseThreadIcon({ isWaiting, running, pinned: true })),
	);
	assert.deepEqual(icons, ["question", "question", "loading~spin", "pinned"]);
});
