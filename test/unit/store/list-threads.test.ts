import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { type Disk, REAL_DISK } from "../../../agent-host/store/home/disk.ts";
import { findThreadFiles, openHome } from "../../../agent-host/store/home/home.ts";
import { lockThread } from "../../../agent-host/store/home/lock.ts";
import { listStoredThreads } from "../../../agent-host/store/threads/list-threads.ts";
import { searchThreads } from "../../../agent-host/store/threads/search-threads.ts";
import { writeLongThread } from "../../support/a-long-thread.ts";

const top = mkdtempSync(join(tmpdir(), "vitrine-list-"));
after(() => rmSync(top, { recursive: true, force: true }));

test("the folder of all threads is listed once, and each file looked at once, to list and search them", async () => {
	let listed = 0;
	const lookedAt: string[] = [];
	const stat: Disk["stat"] = (path) => {
		lookedAt.push(basename(path));
		return REAL_DISK.stat(path);
	};
	const list: Disk["list"] = (folder) => {
		listed += 1;
		return REAL_DISK.list(folder);
	};
	const home = await openHome({ ...REAL_DISK, list, stat }, lockThread, top);
	for (const id of ["a", "b", "c", "d"]) writeLongThread(top, id, 1);
	// Not segments of a thread: another file beside it, and a number that no segment has.
	for (const name of ["a.jsonl.0", "a.jsonl.x", "note.txt"]) writeFileSync(join(home.threads, name), "");
	listed = 0;
	const files = await findThreadFiles(home);
	const summaries = await listStoredThreads(home, new Map(), files);
	assert.deepEqual(
		[summaries.map(({ threadId, title }) => [threadId, title]).sort(), listed],
		[["a", "b", "c", "d"].map((id) => [id, `What is in ${id}?`]), 1],
	);
	assert.deepEqual([(await searchThreads(home, files, "what")).length, listed], [4, 1]);
	assert.deepEqual(
		lookedAt.filter((name) => name.endsWith(".jsonl")).sort(),
		["a", "b", "c", "d"].map((id) => `${id}.jsonl`),
	);
});

test("a thread that cannot be read is left out of a search: the others are found, and the index stays", async () => {
	const folder = join(top, "unread");
	let isClosed = true;
	const removed: string[] = [];
	const disk: Disk = {
		...REAL_DISK,
		read: async (path) => {
			if (isClosed && basename(path) === "b.jsonl") throw Object.assign(new Error("EACCES"), { code: "EACCES" });
			return REAL_DISK.read(path);
		},
		remove: async (path) => {
			if (path.endsWith(".db")) removed.push(basename(path));
			return REAL_DISK.remove(path);
		},
	};
	const home = await openHome(disk, lockThread, folder);
	for (const id of ["a", "b", "c"]) writeLongThread(folder, id, 1);
	const files = await findThreadFiles(home);
	const find = async () => (await searchThreads(home, files, "what")).map(({ threadId }) => threadId as string).sort();
	assert.deepEqual(await find(), ["a", "c"]);
	isClosed = false;
	assert.deepEqual(await find(), ["a", "b", "c"]);
	assert.deepEqual(removed, []);
});

test("an index that is not a database is rebuilt, and one with another error is kept", async () => {
	const folder = join(top, "damaged");
	const removed: string[] = [];
	const remove: Disk["remove"] = async (path) => {
		if (path.endsWith(".db")) removed.push(basename(path));
		return REAL_DISK.remove(path);
	};
	const home = await openHome({ ...REAL_DISK, remove }, lockThread, folder);
	writeLongThread(folder, "a", 1);
	const files = await findThreadFiles(home);
	writeFileSync(join(folder, "search-2.db"), "no database at all");
	assert.equal((await searchThreads(home, files, "what")).length, 1);
	assert.deepEqual(removed, ["search-2.db"]);
	const report = () => {
		throw new Error("Nobody listens.");
	};
	writeLongThread(folder, "b", 1);
	const more = await findThreadFiles(home);
	await assert.rejects(searchThreads(home, more, "what", { report }), /Nobody listens/);
	assert.deepEqual(removed, ["search-2.db"]);
});

test("a thread is found with its segments in order, even among more than are looked at in one go", async () => {
	const home = await openHome(REAL_DISK, lockThread, join(top, "many"));
	const names = Array.from({ length: 600 }, (_, n) => `t${n}`);
	for (const name of names) writeFileSync(join(home.threads, `${name}.jsonl`), name);
	for (const number of [10, 2, 3]) writeFileSync(join(home.threads, `t7.jsonl.${number}`), "");
	// Of a thread whose first file is gone.
	writeFileSync(join(home.threads, "gone.jsonl.2"), "");
	const files = await findThreadFiles(home);
	assert.deepEqual(files.map(({ threadId }) => threadId as string).sort(), names.sort());
	const seven = files.find(({ threadId }) => threadId === "t7");
	assert.deepEqual(
		seven?.segments.map((path) => basename(path)),
		["t7.jsonl", "t7.jsonl.2", "t7.jsonl.3", "t7.jsonl.10"],
	);
	assert.equal(seven?.size, 2);
});
