import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Disk, REAL_DISK } from "../../../agent-host/store/home/disk.ts";
import { openHome } from "../../../agent-host/store/home/home.ts";
import { lockThread } from "../../../agent-host/store/home/lock.ts";
import { listStoredThreads } from "../../../agent-host/store/threads/list-threads.ts";
import { searchThreads } from "../../../agent-host/store/threads/search-threads.ts";
import { writeLongThread } from "../../support/a-long-thread.ts";

const top = mkdtempSync(join(tmpdir(), "vitrine-list-"));
after(() => rmSync(top, { recursive: true, force: true }));

test("the folder of all threads is listed once, however many threads are listed or searched", async () => {
	let listed = 0;
	const list: Disk["list"] = (folder) => {
		listed += 1;
		return REAL_DISK.list(folder);
	};
	const home = await openHome({ ...REAL_DISK, list }, lockThread, top);
	for (const id of ["a", "b", "c", "d"]) writeLongThread(top, id, 1);
	// What is not a segment of a thread: another file beside it, and a number that none has.
	for (const name of ["a.jsonl.0", "a.jsonl.x", "note.txt"]) writeFileSync(join(home.threads, name), "");
	listed = 0;
	const summaries = await listStoredThreads(home, new Map());
	assert.deepEqual(
		[summaries.map(({ threadId, title }) => [threadId, title]).sort(), listed],
		[["a", "b", "c", "d"].map((id) => [id, `What is in ${id}?`]), 1],
	);
	assert.deepEqual([(await searchThreads(home, "what")).length, listed], [4, 2]);
});
