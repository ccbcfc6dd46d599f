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
