import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { REAL_DISK } from "../../../agent-host/store/home/disk.ts";
import { type Home, openHome } from "../../../agent-host/store/home/home.ts";
import { lockThread } from "../../../agent-host/store/home/lock.ts";
import { openBlobs } from "../../../agent-host/store/log/blobs.ts";
import { loadThread } from "../../../agent-host/store/log/load-thread.ts";
import { deleteThread, setTornTailAside } from "../../../agent-host/store/log/thread-log.ts";
import { encodeRecord, type RecordBody } from "../../../agent-host/store/records/record.ts";
import { listStoredThreads } from "../../../agent-host/store/threads/list-threads.ts";
import { sweepHome } from "../../../agent-host/store/threads/sweep-home.ts";
import { repairThread, verifyThreads } from "../../../agent-host/store/threads/verify-thread.ts";
import { createMemoryDisk, type MemoryDisk } from "../../support/memory-disk.ts";

const scratch = mkdtempSync(join(tmpdir(), "vitrine-recovery-"));
after(() => rmSync(scratch, { recursive: true }));

const threadId = ThreadId.parse("t");
const turnId = TurnId.parse("turn");
const header: RecordBody = { kind: "thread", threadId, settings: {}, baseInstructions: "Be." };
const items = (text: string): RecordBody => ({ kind: "items", turnId, items: [{ kind: "userMessage", text }] });
const bodies = [header, items("one"), items("two"), items("three"), items("four")];
const lines = bodies.map((body, index) => encodeRecord({ v: 1, n: index + 1, at: 5, body }));
const [first = "", second = "", third = "", fourth = "", fifth = ""] = lines;

const PATH = "/home/threads/t.jsonl";
const DAMAGED = "0000000 a line that no host wrote\n";
const TORN = fifth.slice(0, 20);

/** Two files of one thread, a damaged line in each, and a torn end: everything that a repair deals with. */
const BROKEN = new Map([
	[PATH, Buffer.from(first + DAMAGED + second + third)],
	[`${PATH}.2`, Buffer.from(DAMAGED.toUpperCase() + fourth + TORN)],
	[`${PATH}.blobs/x`, Buffer.from("a blob")],
]);

test("a torn end is never cut off before all of it is saved, wherever the host dies, even during recovery", async () => {
	const start = new Map([[PATH, Buffer.from(first + TORN)]]);
	const ends = await dieEverywhere(start, recoverEnd);
	for (const { files } of ends) {
		assert.ok([...files.values()].some((bytes) => bytes.toString().includes(TORN)));
		assert.equal(files.get(PATH)?.toString(), first);
	}
	assert.ok(ends.length > 20, `${ends.length} deaths`);
});

test("a torn end is not cut off because of an incomplete file with the name of its copy", async () => {
	const kept = `${PATH}.torn-${createHash("sha256").update(TORN).digest("hex")}`;
	const disk = createMemoryDisk(
		new Map([
			[PATH, Buffer.from(first + TORN)],
			[kept, Buffer.from(TORN.slice(0, 5))],
		]),
	);
	await recoverEnd(disk);
	assert.deepEqual(Object.fromEntries([...(await contentsOf(disk))].map(([path, bytes]) => [path, String(bytes)])), {
		[PATH]: first,
		[kept]: TORN,
	});
});

test("a repair interrupted anywhere is finished by the next host without losing a byte; repeating it changes nothing", async () => {
	const ends = await dieEverywhere(BROKEN, async (disk) => {
		const home = homeOn(disk);
		await sweepHome(home);
		await repairThread(home, threadId);
	});
	const kept = [DAMAGED, DAMAGED.toUpperCase(), TORN, "a blob", ...lines.slice(0, 4)];
	for (const { files } of ends) {
		const all = [...files.values()].join("");
		assert.deepEqual(
			kept.filter((part) => !all.includes(part)),
			[],
		);
		assert.equal(files.get(PATH)?.toString(), first + second + third + fourth);
		assert.deepEqual(
			[...files.keys()].filter((path) => /\.jsonl\.\d+$|\.intact|\.new$/.test(path)),
			[],
		);
	}
	assert.ok(ends.length > 30, `${ends.length} deaths`);
});

test("a second repair keeps what the first one saved", async () => {
	const disk = createMemoryDisk(BROKEN);
	const home = homeOn(disk);
	await repairThread(home, threadId);
	await (await disk.openAppend(PATH)).write(Buffer.from("later damage\n"));
	assert.equal(await repairThread(home, threadId), 1);
	const all = (await contentsOf(disk)).values();
	const text = [...all].join("");
	assert.deepEqual(
		[DAMAGED, "later damage", TORN].filter((part) => !text.includes(part)),
		[],
	);
});

test("a thread whose first file is missing is not mistaken for one being deleted", async () => {
	const [, ...later] = BROKEN;
	const start = new Map([...later, [`${PATH}.incoming`, Buffer.from("left")]]);
	const disk = createMemoryDisk(start);
	await sweepHome(homeOn(disk));
	assert.deepEqual(await contentsOf(disk), start);
});

test("what a repair set aside is deleted with its thread", async () => {
	const disk = createMemoryDisk(BROKEN);
	await recoverEnd(disk);
	await repairThread(homeOn(disk), threadId);
	await deleteThread(disk, PATH);
	assert.deepEqual([...(await contentsOf(disk)).keys()], []);
});

test("a foreign object in a thread's place does not hide the others, and the doctor names it", async () => {
	const home = await openHome(REAL_DISK, lockThread, join(scratch, "odd"));
	const at = (name: string) => join(home.threads, name);
	writeFileSync(at("t.jsonl"), first + second);
	mkdirSync(at("folder.jsonl"));
	symlinkSync("loop.jsonl", at("loop.jsonl"));
	symlinkSync("nowhere", at("nowhere.jsonl"));
	writeFileSync(at("empty.jsonl"), "");
	mkdirSync(at("later.jsonl.2"));
	writeFileSync(at("later.jsonl"), first.replaceAll('"t"', '"later"'));
	await sweepHome(home);
	const listed = await listStoredThreads(home, new Map());
	assert.deepEqual(
		listed.map((summary) => summary.threadId),
		["t"],
	);
	const { problems } = await verifyThreads(home);
	assert.deepEqual(problems.map((problem) => problem.threadId).sort(), ["empty", "folder", "later", "loop"]);
});

test("a damaged lock file still works as a lock that only one process can hold", async () => {
	const path = join(scratch, "locked.jsonl");
	writeFileSync(`${path}.lock`, "not a database, but longer than the header of one".repeat(100));
	const taken = await lockThread(path);
	assert.ok("release" in taken);
	assert.ok("owner" in (await lockThread(path)));
	taken.release();
	assert.equal(statSync(`${path}.lock`).size, 0);
});

async function recoverEnd(disk: MemoryDisk): Promise<void> {
	const { end } = await loadThread(disk, PATH, openBlobs(disk, PATH));
	await setTornTailAside(disk, end);
}

interface End {
	readonly files: ReadonlyMap<string, Buffer>;
}

/** Dies at each operation, also halfway through a write, then at each of the recovery's, and lets that come to its end. */
async function dieEverywhere(start: ReadonlyMap<string, Buffer>, work: (disk: MemoryDisk) => Promise<void>) {
	const ends: End[] = [];
	const dead = await deathsOf(start, work);
	for (const left of dead) {
		for (const again of await deathsOf(left, work)) {
			const disk = createMemoryDisk(again);
			await work(disk);
			const files = await contentsOf(disk);
			await work(disk);
			assert.deepEqual(await contentsOf(disk), files, "once is enough");
			ends.push({ files });
		}
	}
	return ends;
}

/** The contents of the disk after a death at each operation, and after none. */
async function deathsOf(start: ReadonlyMap<string, Buffer>, work: (disk: MemoryDisk) => Promise<void>) {
	const left: ReadonlyMap<string, Buffer>[] = [];
	for (let call = 0; ; call += 1) {
		for (const part of ["before", "halfway"] as const) {
			const disk = createMemoryDisk(start);
			let isDead = false;
			disk.fault = (operation, index) => {
				if (isDead) throw new Error("dead");
				if (index !== call) return undefined;
				isDead = true;
				if (part === "halfway" && operation.op === "write") return Math.floor(operation.bytes.length / 2);
				throw new Error("dead");
			};
			await work(disk).catch(() => undefined);
			left.push(await contentsOf(disk));
			if (!isDead) return left;
		}
	}
}

async function contentsOf(disk: MemoryDisk): Promise<ReadonlyMap<string, Buffer>> {
	const files = new Map<string, Buffer>();
	for (const folder of ["/home/threads", `${PATH}.blobs`]) {
		for (const name of await disk.list(folder)) files.set(`${folder}/${name}`, await disk.read(`${folder}/${name}`));
	}
	return files;
}

function homeOn(disk: MemoryDisk): Home {
	const seals = {
		key: async () => undefined,
		pinned: async () => undefined,
		pin: async () => undefined,
		problem: () => undefined,
	};
	return { disk, lock: async () => ({ release: () => undefined }), folder: "/home", threads: "/home/threads", seals };
}
