import assert from "node:assert/strict";
import { test } from "node:test";
import { findLatest } from "../../../../extension/panel/latest-thread.ts";

test("the thread offered to continue is the newest of this folder that has a turn and is not archived", () => {
	const thread = { preview: "", model: "m", running: false, archived: false, turns: 1, cwd: "/app", updatedAt: 5 };
	const threads = [
		{ threadId: "elsewhere", cwd: "/lib", updatedAt: 9 },
		{ threadId: "empty", turns: 0, updatedAt: 8 },
		{ threadId: "archived", archived: true, updatedAt: 7 },
		{ threadId: "older", updatedAt: 4 },
		{ threadId: "newest" },
	].map(({ threadId, ...change }) => ({ ...thread, title: threadId, threadId: threadId as never, ...change }));
	assert.equal(findLatest(threads, "/app")?.threadId, "newest");
	assert.equal(findLatest(threads, undefined), undefined);
});
