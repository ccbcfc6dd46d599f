import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { summarizeEnvelope } from "../../../agent-host/envelope/summary.ts";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import type { DurableEvent } from "../../../agent-host/protocol/thread/events.ts";
import { REAL_DISK } from "../../../agent-host/store/home/disk.ts";
import { openHome, threadPath } from "../../../agent-host/store/home/home.ts";
import { lockThread } from "../../../agent-host/store/home/lock.ts";
import { openBlobs } from "../../../agent-host/store/log/blobs.ts";
import { openKeptState, statePath } from "../../../agent-host/store/log/kept-state.ts";
import { loadThread, readHistory } from "../../../agent-host/store/log/load-thread.ts";
import { createThreadLog, deleteThread } from "../../../agent-host/store/log/thread-log.ts";
import type { Proof } from "../../../agent-host/store/records/admit-records.ts";
import type { RecordBody } from "../../../agent-host/store/records/record.ts";
import type { ThreadState } from "../../../agent-host/store/records/thread-state.ts";
import { writeLongThread } from "../../support/a-long-thread.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

/** Longer than a line may be. */
const LONG = "Long. ".repeat(20_000);

const top = mkdtempSync(join(tmpdir(), "vitrine-state-"));
after(() => rmSync(top, { recursive: true, force: true }));

/** A thread of a few turns, its lines, and its proof. */
async function aThread(name: string) {
	const folder = join(top, name);
	const { threadId, path } = writeLongThread(folder, "long", 5);
	const home = await openHome(REAL_DISK, lockThread, folder);
	const proof = { threadId, key: await home.seals.key("find"), pinned: await home.seals.pinned(threadId) };
	const bytes = readFileSync(path);
	// Before its first turn, nothing is known of a thread that is worth keeping.
	const begun = bytes.indexOf('"turnStarted"');
	const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a && at > begun ? [at + 1] : []));
	return { folder, path, proof, bytes, ends };
}

function openKept(path: string, proof: Proof) {
	return openKeptState(REAL_DISK, path, proof, "write", () => 0);
}

/** Everything that a thread is opened with, with or without what was kept of it. */
async function open(path: string, proof: Proof, how: "kept" | "plain") {
	const kept = how === "kept" ? openKept(path, proof) : undefined;
	const blobs = openBlobs(REAL_DISK, path);
	const { events, unkept: _, ...loaded } = await loadThread(REAL_DISK, path, blobs, proof, undefined, kept);
	await kept?.settled();
	return { ...loaded, last: events.last(), events: await events.read({ after: 0, limit: 1_000 }) };
}

test("a thread resumed from its kept state at any line equals the thread read as a whole", async () => {
	const { path, proof, bytes, ends } = await aThread("lines");
	const whole = await open(path, proof, "plain");
	assert.equal(whole.rights.state, "proved");
	for (const end of ends) {
		rmSync(statePath(path), { force: true });
		writeFileSync(path, bytes.subarray(0, end));
		assert.deepEqual(await open(path, proof, "kept"), await open(path, proof, "plain"));
		assert.equal((await openKept(path, proof).read())?.bytes, end);
		writeFileSync(path, bytes);
		assert.deepEqual(await open(path, proof, "kept"), whole);
	}
});

test("external texts, a compaction, a mute and an undone compaction are the same with and without kept state", async () => {
	const folder = join(top, "rewritten");
	const home = await openHome(REAL_DISK, lockThread, folder);
	const threadId = ThreadId.parse("rewritten");
	const path = threadPath(home, threadId);
	const sealing = { seals: home.seals, threadId, after: "" };
	const log = createThreadLog({ disk: REAL_DISK, lock: lockThread, path, last: 0, now: () => 1, sealing });
	const saying = (text: string): RecordBody => ({
		kind: "items",
		turnId: TurnId.parse("one"),
		items: [{ kind: "agentMessage", text }],
	});
	const rewrite = (reason: "compaction" | "undo"): RecordBody => {
		return { kind: "rewrite", reason, keep: 1, items: reason === "undo" ? [] : [{ kind: "agentMessage", text: LONG }] };
	};
	let seq = 0;
	const turn = (id: string, ...inside: readonly RecordBody[]): readonly RecordBody[] => {
		const turnId = TurnId.parse(id);
		const envelope = summarizeEnvelope(anEnvelope({ request: { threadId, turnId }, workspace: { roots: [] } }));
		const publish = (event: DurableEvent): RecordBody => {
			seq += 1;
			return { kind: "event", seq, event };
		};
		return [
			publish({ type: "turnStarted", turnId, envelope }),
			...inside,
			publish({ type: "turnCompleted", turnId, status: "completed" }),
		];
	};
	await log.append(
		[
			{ kind: "thread", threadId, settings: {}, held: {}, baseInstructions: "Be helpful." },
			...turn("one", saying("short"), saying(LONG), { kind: "mute", at: 1, line: "Muted." }),
			...turn("two", saying(LONG), rewrite("compaction"), saying("after")),
			...turn("three", { kind: "mute", at: 1, line: "Muted, too." }, rewrite("undo"), saying("at last")),
			...turn("four"),
		],
		"synced",
	);
	await log.close();
	const proof = { threadId, key: await home.seals.key("find"), pinned: await home.seals.pinned(threadId) };
	const bytes = readFileSync(path);
	const whole = await open(path, proof, "plain");
	assert.ok((whole.state?.unread.length ?? 0) > 1);
	let isKept = 0;
	for (let end = bytes.indexOf("\n") + 1; end > 0; end = bytes.indexOf("\n", end) + 1) {
		rmSync(statePath(path), { force: true });
		writeFileSync(path, bytes.subarray(0, end));
		assert.deepEqual(await open(path, proof, "kept"), await open(path, proof, "plain"));
		isKept += (await openKept(path, proof).read())?.bytes === end ? 1 : 0;
		writeFileSync(path, bytes);
		const [one, other] = [await open(path, proof, "kept"), await open(path, proof, "plain")];
		assert.deepEqual(one, whole);
		assert.ok(one.state !== undefined && other.state !== undefined);
		// Which texts are still missing is known by the items themselves.
		const [history, expected] = [await read(one.state, path), await read(other.state, path)];
		assert.deepEqual(history, expected);
		assert.ok(JSON.stringify(history).includes(LONG));
	}
	assert.ok(isKept > 10);
});

function read(state: ThreadState, path: string) {
	return readHistory(state, openBlobs(REAL_DISK, path));
}

test("a growing thread's state is kept repeatedly and stays correct", async () => {
	const { path, proof, bytes, ends } = await aThread("grows");
	for (const end of ends) {
		writeFileSync(path, bytes.subarray(0, end));
		assert.deepEqual(await open(path, proof, "kept"), await open(path, proof, "plain"));
		assert.equal((await openKept(path, proof).read())?.bytes, end);
	}
});

test("the kept state is ignored once a byte of it, or of the log before its end, has changed", async () => {
	const { path, proof, bytes, ends } = await aThread("bytes");
	await open(path, proof, "kept");
	const state = readFileSync(statePath(path));
	const whole = await open(path, proof, "plain");
	const isUsed = async () => (await openKept(path, proof).read()) !== undefined;
	assert.ok(await isUsed());
	for (let at = 0; at < state.length; at += 97) {
		const changed = Buffer.from(state);
		changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
		writeFileSync(statePath(path), changed);
		assert.ok(!(await isUsed()), `byte ${at} of the state`);
	}
	for (const length of [0, 64, 66, 200, state.length - 1]) {
		writeFileSync(statePath(path), state.subarray(0, length));
		assert.ok(!(await isUsed()), `the first ${length} bytes`);
		assert.deepEqual(await open(path, proof, "kept"), whole);
		writeFileSync(statePath(path), state);
	}
	for (let at = 0; at < bytes.length; at += 997) {
		const changed = Buffer.from(bytes);
		changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
		writeFileSync(path, changed);
		assert.ok(!(await isUsed()), `byte ${at} of the log`);
	}
	writeFileSync(path, bytes.subarray(0, ends.at(-2)));
	assert.ok(!(await isUsed()), "a shorter log");
});

test("a thread of some hundred turns is opened without parsing a record, and one that has grown since with few", async (t) => {
	const folder = join(top, "hundreds");
	const { threadId, path, records } = writeLongThread(folder, "long", 180);
	const home = await openHome(REAL_DISK, lockThread, folder);
	const proof = { threadId, key: await home.seals.key("find"), pinned: await home.seals.pinned(threadId) };
	const whole = readFileSync(path);
	const parsed = async () => {
		const parse = t.mock.method(JSON, "parse");
		const kept = openKeptState(REAL_DISK, path, proof, "write");
		await loadThread(REAL_DISK, path, openBlobs(REAL_DISK, path), proof, undefined, kept);
		await kept.settled();
		parse.mock.restore();
		return parse.mock.callCount();
	};
	// Up to the end of a turn, half way.
	const half = whole.indexOf("\n", whole.indexOf('"turnCompleted"', whole.length / 2)) + 1;
	writeFileSync(path, whole.subarray(0, half));
	assert.ok((await parsed()) > records.length / 8);
	// Only the newest counts and the end of the last turn are read where they are.
	assert.equal(await parsed(), 2);
	writeFileSync(path, whole);
	assert.ok((await parsed()) > records.length / 8);
	assert.equal(await parsed(), 2);
});

test("kept state counts only for its thread and its host's key, wherever the home folder is", async () => {
	const { folder, path, proof } = await aThread("moved");
	await open(path, proof, "kept");
	const other = join(folder, "threads", "other.jsonl");
	cpSync(path, other);
	cpSync(statePath(path), statePath(other));
	assert.equal(await openKept(other, { ...proof, threadId: "other" as never }).read(), undefined);
	assert.equal(await openKept(path, { ...proof, key: undefined }).read(), undefined);
	const whole = await open(path, proof, "plain");
	renameSync(folder, `${folder}-2`);
	const moved = join(`${folder}-2`, "threads", "long.jsonl");
	assert.notEqual(await openKept(moved, proof).read(), undefined);
	assert.deepEqual(await open(moved, proof, "kept"), { ...whole, end: { ...whole.end, path: moved } });
});

test("no state is kept of a torn, damaged, short or split log, or by a reader", async () => {
	const { path, proof, bytes } = await aThread("refused");
	const isKept = async () => {
		await open(path, proof, "kept");
		return statSync(statePath(path), { throwIfNoEntry: false }) !== undefined;
	};
	writeFileSync(path, bytes.subarray(0, -3));
	assert.ok(!(await isKept()), "torn");
	const damaged = Buffer.from(bytes);
	damaged.writeUInt8(damaged.readUInt8(500) ^ 1, 500);
	writeFileSync(path, damaged);
	assert.ok(!(await isKept()), "damaged");
	writeFileSync(path, bytes);
	writeFileSync(`${path}.2`, "");
	assert.ok(!(await isKept()), "in several files");
	rmSync(`${path}.2`);
	const load = async (access: "read" | "write", leastOf?: () => number) => {
		const kept = openKeptState(REAL_DISK, path, proof, access, leastOf);
		await loadThread(REAL_DISK, path, openBlobs(REAL_DISK, path), proof, undefined, kept);
		await kept.settled();
	};
	await load("read", () => 0);
	await load("write");
	assert.equal(statSync(statePath(path), { throwIfNoEntry: false }), undefined);
	assert.ok(await isKept());
});

test("kept state is deleted with its thread", async () => {
	const { folder, path, proof } = await aThread("deleted");
	await open(path, proof, "kept");
	writeFileSync(`${statePath(path)}.new`, "");
	await deleteThread(REAL_DISK, path);
	const home = await openHome(REAL_DISK, lockThread, folder);
	assert.equal(threadPath(home, proof.threadId), path);
	assert.deepEqual(await REAL_DISK.list(home.threads), []);
});
