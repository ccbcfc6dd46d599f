import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Disk, REAL_DISK } from "../../agent-host/store/home/disk.ts";
import { createThreadLog, type ThreadLog } from "../../agent-host/store/log/thread-log.ts";
import { decodeRecord, type RecordBody } from "../../agent-host/store/records/record.ts";
import { createMemoryDisk, failure } from "../support/memory-disk.ts";

const FOLDER = "/threads";
const BODY: RecordBody = { kind: "told", snapshot: {} };

function aLog(disk: Disk): ThreadLog {
	const lock = async () => ({ release: () => undefined });
	return createThreadLog({ disk, lock, path: `${FOLDER}/a.jsonl`, last: 0, now: () => 0 });
}

/** The numbers of the records in a text, and "damaged" for each line that is not a record. */
function readLines(text: string): readonly (number | string)[] {
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => {
			const decoded = decodeRecord(line);
			return decoded.state === "good" ? decoded.record.n : decoded.state;
		});
}

test("half a line left by a failed write does not corrupt the next record", async () => {
	const disk = createMemoryDisk();
	const log = aLog(disk);
	await log.append([BODY], "synced");
	let writes = 0;
	disk.fault = ({ op, ...rest }) => {
		if (op !== "write" || writes >= 2) return undefined;
		writes++;
		if (writes === 2) throw failure("ENOSPC");
		return "bytes" in rest ? Math.floor(rest.bytes.length / 2) : undefined;
	};
	await assert.rejects(log.append([BODY], "synced"), { kind: "storage-unavailable" });
	await log.append([BODY], "synced");
	assert.deepEqual(readLines((await disk.read(`${FOLDER}/a.jsonl`)).toString()), [1, 2]);
});

test("records that a failed sync may have lost are safe in another file when the promise resolves", async () => {
	const disk = createMemoryDisk();
	const log = aLog(disk);
	await log.append([BODY], "synced");
	/** Bytes that were handed over and not yet synced, by file; a failed sync loses them, as some kernels do. */
	const pending = new Map<number, string>();
	const safe: string[] = [];
	let hasFailed = false;
	disk.fault = (operation) => {
		if (operation.op === "write") {
			pending.set(operation.file, (pending.get(operation.file) ?? "") + operation.bytes);
		}
		if (operation.op !== "sync") return undefined;
		const bytes = pending.get(operation.file) ?? "";
		pending.delete(operation.file);
		if (hasFailed) safe.push(bytes);
		else {
			hasFailed = true;
			throw failure("EIO");
		}
		return undefined;
	};
	await log.append([BODY], "unsynced");
	await log.append([BODY], "synced");
	assert.deepEqual(readLines(safe.join("")), [2, 3]);
});

/** Counts how often one of a file handle's methods is called while something runs. */
async function countCalls(name: "datasync" | "sync", run: () => Promise<void>): Promise<number> {
	const handle = await open(import.meta.filename);
	const prototype: Pick<FileHandle, "datasync" | "sync"> = Object.getPrototypeOf(handle);
	await handle.close();
	const known = prototype[name];
	let calls = 0;
	prototype[name] = function (this: FileHandle) {
		calls++;
		return known.call(this);
	};
	try {
		await run();
		return calls;
	} finally {
		prototype[name] = known;
	}
}

test("files made on the real disk are private to the user, and nothing is appended through a link", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-disk-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const [made, whole, grown, link] = ["made", "whole", "grown", "link"].map((name) => join(folder, name)) as [
		string,
		string,
		string,
		string,
	];
	await REAL_DISK.makeFolder(made);
	await REAL_DISK.create(whole, Buffer.from("x"));
	const file = await REAL_DISK.openAppend(grown);
	await file.write(Buffer.from("x"));
	await file.close();
	assert.deepEqual(
		[made, whole, grown].map((path) => statSync(path).mode & 0o777),
		[0o700, 0o600, 0o600],
	);
	symlinkSync(whole, link);
	await assert.rejects(REAL_DISK.openAppend(link), { code: "ELOOP" });
	await assert.rejects(REAL_DISK.create(link, Buffer.from("y")), { code: "EEXIST" });
	assert.equal(readFileSync(whole, "utf8"), "x");
});

test("on the real disk a sync is a kernel sync, of the file and of its folder", async () => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-disk-"));
	try {
		const ofFile = await countCalls("datasync", async () => {
			const file = await REAL_DISK.openAppend(join(folder, "a.jsonl"));
			await file.write(Buffer.from("x"));
			await file.sync();
			await file.close();
		});
		const ofFolder = await countCalls("sync", () => REAL_DISK.syncFolder(folder));
		assert.deepEqual({ ofFile, ofFolder }, { ofFile: 1, ofFolder: 1 });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
