import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadSummary } from "../../../../agent-host/protocol/thread/thread.ts";
import {
	arrangeThreads,
	chooseThreadIcon,
	describeAge,
	findShown,
	rowId,
	type ThreadRow,
} from "../../../../extension/views/threads/thread-groups.ts";

function aThread(threadId: string, cwd?: string): ThreadSummary {
	const facts = { title: threadId, preview: "", model: "m", turns: 1, updatedAt: 0, archived: false, running: false };
	return ThreadSummary.parse({ threadId, ...facts, ...(cwd === undefined ? {} : { cwd }) });
}

function shape(row: ThreadRow): unknown {
	if (row.kind === "thread") return row.thread.threadId;
	return [row.kind === "folder" ? row.folder : "elsewhere", ...row.rows.map(shape)];
}

test("pinned threads come first, then those of this window, then the others; or each under its folder", () => {
	const threads = [aThread("a", "/x"), aThread("b"), aThread("c", "/y"), aThread("d", "/x/sub"), aThread("e", "/z")];
	const pinned = new Set(["c", "gone"]);
	const arrange = (order: "plain" | "byFolder") =>
		arrangeThreads(threads, { order, which: "current", pinned, isOpen: (folder) => folder.startsWith("/x") }).map(
			shape,
		);
	assert.deepEqual(arrange("plain"), ["c", "a", "b", "d", ["elsewhere", "e"]]);
	assert.deepEqual(arrange("byFolder"), ["c", ["/x", "a"], ["", "b"], ["/x/sub", "d"], ["/z", "e"]]);
});

test("threads of sub-agents are listed below their parent, unless they are pinned or the parent is not listed", () => {
	const anAgent = (threadId: string, parent: string): ThreadSummary =>
		ThreadSummary.parse({ ...aThread(threadId, "/x"), agent: { parent, name: threadId, role: "explore" } });
	const threads = [aThread("a", "/x"), anAgent("b", "a"), anAgent("c", "a"), anAgent("d", "gone"), anAgent("e", "a")];
	const rows = arrangeThreads(threads, {
		order: "plain",
		which: "current",
		pinned: new Set(["e"]),
		isOpen: () => true,
	});
	assert.deepEqual(
		rows.map((row) => [shape(row), row.rows.map(shape)]),
		[
			["e", []],
			["a", ["b", "c"]],
			["d", []],
		],
	);
});

test("a thread's icon shows that it needs an answer, else that it runs, else that it failed", () => {
	const icons = [true, false].flatMap((isWaiting) =>
		[true, false].map((running) => chooseThreadIcon({ isWaiting, running, failed: true, pinned: true })),
	);
	assert.deepEqual(icons, ["bell-dot", "bell-dot", "loading~spin", "error"]);
	const idle = { isWaiting: false, running: false, failed: false };
	assert.deepEqual(
		[true, false].map((pinned) => chooseThreadIcon({ ...idle, pinned })),
		["pinned", "comment-discussion"],
	);
});

test("the open thread is found wherever it is listed; if its group is closed, the group is selected", () => {
	const agent = { parent: "a", name: "n", role: "explore" };
	const threads = [aThread("a", "/x"), ThreadSummary.parse({ ...aThread("b", "/x"), agent }), aThread("c", "/y")];
	const find = (order: "plain" | "byFolder", threadId: string, closed: readonly string[]) => {
		const isOpen = (folder: string) => folder === "/x";
		const rows = arrangeThreads(threads, { order, which: "current", pinned: new Set(), isOpen });
		const row = findShown(rows, threadId, (one) => closed.includes(rowId(one)));
		return row && rowId(row);
	};
	assert.equal(find("plain", "a", ["elsewhere"]), "a");
	assert.equal(find("plain", "b", []), "b");
	assert.equal(find("plain", "b", ["a"]), "a", "an agent's thread, below one that is closed");
	assert.equal(find("plain", "c", ["elsewhere"]), "elsewhere");
	assert.equal(find("byFolder", "c", []), "c");
	assert.equal(find("byFolder", "b", ["folder /x", "a"]), "folder /x", "the outermost closed one is in sight");
	assert.equal(find("plain", "gone", []), undefined);
});

test("the age of a thread is shown in its largest unit, and a thread without a time has none", () => {
	const now = Date.UTC(2026, 10, 17);
	const minute = 60_000;
	const ages = [0, 59 * minute, 60 * minute, 23 * 60 * minute, 50 * 60 * minute].map((ms) =>
		describeAge(now - ms, now),
	);
	assert.deepEqual([...ages, describeAge(0, now)], ["now", "59 min", "1 h", "23 h", "2 d", ""]);
});
