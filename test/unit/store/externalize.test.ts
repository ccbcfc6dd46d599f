import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ItemId, ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { blobFolder, openBlobs } from "../../../agent-host/store/log/blobs.ts";
import { loadThread, readHistory } from "../../../agent-host/store/log/load-thread.ts";
import { createThreadLog } from "../../../agent-host/store/log/thread-log.ts";
import { blobName, externalize, inlineParts, MAX_LINE_BYTES } from "../../../agent-host/store/records/externalize.ts";
import { decodeRecord, type RecordBody, type ThreadRecord } from "../../../agent-host/store/records/record.ts";
import { LOST_IMAGE } from "../../../agent-host/store/records/replay.ts";
import { anImage } from "../../support/an-image.ts";
import { createMemoryDisk, type MemoryDisk } from "../../support/memory-disk.ts";
import { allOwn } from "../../support/sealed-thread.ts";

const turnId = TurnId.parse("turn");
const PATH = "/home/threads/t.jsonl";
const GIANT = "a long text ".repeat(10_000);
const HEADER: RecordBody = {
	kind: "thread",
	threadId: ThreadId.parse("t"),
	settings: {},
	baseInstructions: "Be. ".repeat(400),
};
const ENVELOPE = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };
const STARTED: RecordBody = { kind: "event", seq: 1, event: { type: "turnStarted", turnId, envelope: ENVELOPE } };
const ENDED: RecordBody = { kind: "event", seq: 3, event: { type: "turnCompleted", turnId, status: "completed" } };
const saying = (text: string): RecordBody => ({
	kind: "event",
	seq: 2,
	event: { type: "itemCompleted", turnId, item: { kind: "agentMessage", id: ItemId.parse("i"), text } },
});
const keeping = (...texts: readonly string[]): RecordBody => ({
	kind: "items",
	turnId,
	items: texts.map((text) => ({ kind: "agentMessage", text })),
});
const aRecord = (body: RecordBody): ThreadRecord => ({ v: 1, n: 1, at: 5, body });

test("every line stays within its limit, and external values are put back, whatever a record holds", async () => {
	const text = fc.tuple(fc.string({ unit: "binary" }), fc.constantFrom(0, 1, 900, 20_000)).map(([a, n]) => a.repeat(n));
	const json = fc.dictionary(fc.constantFrom("a", "__proto__", "refs", "sha256"), text, {
		maxKeys: 3,
		noNullPrototype: true,
	});
	const body: fc.Arbitrary<RecordBody> = fc.oneof(
		fc.array(text, { maxLength: 6 }).map((texts) => keeping(...texts)),
		fc
			.array(text, { maxLength: 4 })
			.map((texts) => keeping(...texts.flatMap((one) => Array(300).fill(one.slice(0, 400))))),
		text.map(saying),
		json.map((patch): RecordBody => ({ kind: "envelope", turnId, patch })),
		json.map((snapshot): RecordBody => ({ kind: "told", snapshot })),
		text.map((baseInstructions): RecordBody => ({ ...HEADER, baseInstructions }) as RecordBody),
	);
	await fc.assert(
		fc.asyncProperty(body, async (one) => {
			const record = aRecord(one);
			const { line, external } = externalize(record);
			assert.ok(line.length <= MAX_LINE_BYTES, `${line.length} bytes`);
			const decoded = decodeRecord(line.toString("utf8", 0, line.length - 1));
			assert.ok(decoded.state === "good");
			const kept = new Map(external.map(({ sha256, json }) => [sha256, json()]));
			assert.deepEqual(await inlineParts(decoded.record, async (sha256) => kept.get(sha256), "all"), record);
		}),
		{ numRuns: 150 },
	);
});

test("a long text has the same name each time, whichever others came between", () => {
	const [one, two, three] = ["a", "b", "é\n"].map((text) => text.repeat(MAX_LINE_BYTES)) as [string, string, string];
	for (const text of [one, one, two, three, one, `${one}!`, two]) {
		const [{ sha256, json } = assert.fail()] = externalize(aRecord(saying(text))).external;
		assert.equal(sha256, blobName(text));
		assert.equal(json(), JSON.stringify(text));
	}
});

test("a record is made JSON once, also if it is sealed", (t) => {
	const record = aRecord({ kind: "told", snapshot: { mode: "plan" } });
	const stringify = t.mock.method(JSON, "stringify");
	const { line } = externalize(record, (json) => `${json.slice(0, -1)},"seal":"s"}`);
	const made = stringify.mock.calls.filter(({ arguments: [value] }) => value !== null && Object.hasOwn(value, "body"));
	assert.equal(made.length, 1);
	assert.match(line.toString(), /^[0-9a-f]{8} \{"v":1,.*,"seal":"s"\}\n$/);
});

test("a path that a record names outside itself is not followed", async () => {
	for (const path of [
		["__proto__", "polluted"],
		["constructor", "name"],
		["items", 7, "text"],
		["kind", "x"],
		["nothing"],
	]) {
		const record = { ...aRecord(keeping("a")), refs: [{ path, sha256: "0".repeat(64) }] };
		const whole = await inlineParts(structuredClone(record), async () => '"polluted"', "all");
		assert.deepEqual(whole, record, String(path));
	}
	assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
});

test("a blob is whole and durable under its name before the record that names it is written", async () => {
	const disk = createMemoryDisk();
	await write(disk, HEADER, saying(GIANT));
	const named = disk.operations.flatMap((operation, index) =>
		operation.op === "move" && operation.to.startsWith(blobFolder(PATH)) ? [index] : [],
	);
	const record = disk.operations.findIndex((one) => one.op === "write" && one.bytes.includes('"agentMessage"'));
	const synced = disk.operations.findLastIndex((one) => one.op === "syncFolder" && one.path === blobFolder(PATH));
	assert.equal(named.length, 1);
	assert.ok((named[0] ?? 0) < synced && synced < record);
});

test("equal texts are stored once, and the built-in instructions once for all threads", async () => {
	const disk = createMemoryDisk();
	await write(disk, HEADER, saying(GIANT), keeping(GIANT));
	assert.equal((await disk.list(blobFolder(PATH))).length, 1);
	assert.equal((await disk.list("/home/texts")).length, 1);
	const header = (await disk.read(PATH)).toString().split("\n")[0] ?? "";
	assert.ok(header.length < 300, `${header.length} bytes`);
	const state = (await loadThread(disk, PATH, openBlobs(disk, PATH), allOwn("t"))).state;
	assert.equal(state?.baseInstructions, HEADER.kind === "thread" && HEADER.baseInstructions);
});

test("opening a thread reads no external value, and its history is whole once it is requested", async () => {
	const disk = createMemoryDisk();
	await write(disk, HEADER, STARTED, saying(GIANT), keeping("short", GIANT), ENDED);
	const reads: string[] = [];
	const watched = {
		...disk,
		read: (path: string) => {
			reads.push(path);
			return disk.read(path);
		},
	};
	const texts = (await disk.list(blobFolder(PATH))).map((name) => `${blobFolder(PATH)}/${name}`);
	const blobs = openBlobs(watched, PATH);
	const { state, damaged } = await loadThread(watched, PATH, blobs);
	assert.deepEqual([damaged, texts.length, reads.filter((path) => texts.includes(path))], [0, 1, []]);
	assert.ok(state);
	assert.deepEqual(await readHistory(state, blobs), (keeping("short", GIANT) as { items: unknown }).items);
});

for (const [what, harm] of Object.entries({
	missing: (disk: MemoryDisk, path: string) => disk.remove(path),
	damaged: async (disk: MemoryDisk, path: string) => {
		const bytes = await disk.read(path);
		bytes[1000] = (bytes[1000] ?? 0) ^ 1;
		await disk.remove(path);
		await disk.create(path, bytes);
	},
})) {
	test(`a ${what} blob loses its own text and nothing else`, async () => {
		const disk = createMemoryDisk();
		await write(disk, HEADER, STARTED, saying(GIANT), keeping("short", GIANT), ENDED);
		const [name = ""] = await disk.list(blobFolder(PATH));
		await harm(disk, `${blobFolder(PATH)}/${name}`);
		const blobs = openBlobs(disk, PATH);
		const { state, events, damaged } = await loadThread(disk, PATH, blobs);
		assert.ok(state);
		assert.equal(damaged, 0);
		const [, said] = await events.read({ after: 0, limit: 9 });
		const marked = {
			kind: "agentMessage",
			id: "i",
			text: `[Unreadable: a text of ${GIANT.length} characters, stored in a separate file, is missing or damaged.]`,
		};
		assert.deepEqual(said?.event.type === "itemCompleted" && said.event.item, marked);
		const history = await readHistory(state, blobs);
		assert.deepEqual(
			history.map((item) => item.kind === "agentMessage" && item.text),
			["short", marked.text],
		);
	});
}

test("an image is stored once however often it is named, and a lost one leaves words in its place", async () => {
	const image = anImage({ data: "AbCd".repeat(30_000) });
	const small = anImage();
	const disk = createMemoryDisk();
	const images: RecordBody = { kind: "images", turnId, items: [image, small] };
	await write(disk, HEADER, STARTED, images, { ...images, kind: "items" }, ENDED);
	const blobs = openBlobs(disk, PATH);
	const names = [image, small].map(({ data }) => blobName(data));
	assert.deepEqual((await disk.list(blobFolder(PATH))).toSorted(), names.toSorted());
	assert.equal((await disk.read(PATH)).includes(small.data), false);
	const { state } = await loadThread(disk, PATH, blobs);
	assert.ok(state);
	await disk.remove(`${blobFolder(PATH)}/${names[0]}`);
	assert.deepEqual(await readHistory(state, blobs), [LOST_IMAGE, small]);
});

test("a name that is no hash leads nowhere", async () => {
	const outside = '"outside"';
	const disk = createMemoryDisk(new Map([["/home/threads/secret", Buffer.from(outside)]]));
	const reads: string[] = [];
	const watched = {
		...disk,
		read: (path: string) => {
			reads.push(path);
			return disk.read(path);
		},
	};
	for (const name of ["../secret", "", ".", "/home/threads/secret", "0".repeat(63), "A".repeat(64)]) {
		assert.equal(await openBlobs(watched, PATH).get(name), undefined);
	}
	assert.deepEqual(reads, []);
});

test("a damaged blob is rewritten when the same text is stored again", async () => {
	const disk = createMemoryDisk();
	await write(disk, HEADER, saying(GIANT));
	const [name = ""] = await disk.list(blobFolder(PATH));
	await disk.truncate(`${blobFolder(PATH)}/${name}`, 10);
	await write(disk, keeping(GIANT));
	assert.equal(await openBlobs(disk, PATH).get(name), JSON.stringify(GIANT));
});

async function write(disk: MemoryDisk, ...bodies: readonly RecordBody[]): Promise<void> {
	for (const folder of ["/home", "/home/threads"]) await disk.makeFolder(folder).catch(() => undefined);
	const lock = async () => ({ release: () => undefined });
	const log = createThreadLog({ disk, lock, path: PATH, last: 0, now: () => 5 });
	await log.append(bodies, "synced");
	await log.close();
}
