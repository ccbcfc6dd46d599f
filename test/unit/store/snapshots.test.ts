import assert from "node:assert/strict";
import { test } from "node:test";
import { openSnapshots } from "../../../agent-host/store/log/snapshots.ts";
import { createMemoryDisk } from "../../support/memory-disk.ts";

test("a snapshot is read by its name, and a name that is no hash leads to no file", async () => {
	const disk = createMemoryDisk();
	for (const folder of ["/home", "/home/threads"]) await disk.makeFolder(folder);
	const read: string[] = [];
	const watched = {
		...disk,
		read: (path: string) => {
			read.push(path);
			return disk.read(path);
		},
	};
	const snapshots = openSnapshots(watched, "/home/threads/a.jsonl");
	const { sha256, state } = await snapshots.put(Buffer.from("as it was"));
	assert.equal(state, "kept");
	assert.equal(String(await snapshots.get(sha256)), "as it was");
	assert.deepEqual(read.splice(0), [`/home/threads/a.jsonl.files/${sha256}`]);
	for (const name of ["../a.jsonl", "/etc/passwd", "", sha256.toUpperCase(), `${sha256}/..`]) {
		assert.equal(await snapshots.get(name), undefined, name);
	}
	assert.deepEqual(read, []);
});

test("contents that are put at the same time are each whole and durable when their call resolves", async () => {
	const disk = createMemoryDisk();
	for (const folder of ["/home", "/home/threads"]) await disk.makeFolder(folder);
	const snapshots = openSnapshots(disk, "/home/threads/a.jsonl");
	const texts = ["one", "two", "two", "three"];
	const put = texts.map(async (text) => {
		const { sha256, state } = await snapshots.put(Buffer.from(text));
		const moved = disk.operations.findIndex((one) => one.op === "move" && one.to.endsWith(sha256));
		const synced = disk.operations.findLastIndex((one) => one.op === "syncFolder" && one.path.endsWith(".files"));
		assert.ok(moved >= 0 && moved < synced, text);
		assert.equal(state, "kept");
		assert.equal(String(await snapshots.get(sha256)), text);
	});
	await Promise.all(put);
	assert.equal(disk.operations.filter(({ op }) => op === "move").length, 3, "equal contents are stored once");
});

test("a content that could not be written is written when it is put again", async () => {
	const disk = createMemoryDisk();
	for (const folder of ["/home", "/home/threads"]) await disk.makeFolder(folder);
	let isFull = true;
	const create: typeof disk.create = (path, bytes) =>
		isFull ? Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" })) : disk.create(path, bytes);
	const snapshots = openSnapshots({ ...disk, create }, "/home/threads/a.jsonl");
	const bytes = Buffer.from("as it was");
	const both = await Promise.allSettled([snapshots.put(bytes), snapshots.put(bytes)]);
	assert.deepEqual(
		both.map(({ status }) => status),
		["rejected", "rejected"],
	);
	isFull = false;
	const { sha256 } = await snapshots.put(bytes);
	assert.equal(String(await snapshots.get(sha256)), "as it was");
});
