import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { ItemId, ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { NOTHING_SPENT } from "../../../agent-host/spending/spent.ts";
import { type Disk, REAL_DISK as disk } from "../../../agent-host/store/home/disk.ts";
import { lockThread as lock } from "../../../agent-host/store/home/lock.ts";
import { type Blobs, openBlobs } from "../../../agent-host/store/log/blobs.ts";
import { createEventLog, type EventRange } from "../../../agent-host/store/log/event-log.ts";
import { loadThread, readAdded } from "../../../agent-host/store/log/load-thread.ts";
import { createThreadLog, setTornTailAside } from "../../../agent-host/store/log/thread-log.ts";
import { applyMergePatch, createMergePatch, type Json } from "../../../agent-host/store/records/merge-patch.ts";
import { decodeRecord, encodeRecord, type RecordBody } from "../../../agent-host/store/records/record.ts";
import { applyRecord, LOST_IMAGE, titleFrom } from "../../../agent-host/store/records/replay.ts";
import type { ThreadState } from "../../../agent-host/store/records/thread-state.ts";
import { anImage } from "../../support/an-image.ts";
import { allOwn } from "../../support/sealed-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-store-"));
after(() => rmSync(folder, { recursive: true }));

type EventBody = Extract<RecordBody, { kind: "event" }>;
const threadId = ThreadId.parse("t");
const turnId = TurnId.parse("turn");
const itemId = ItemId.parse("item");
const header: RecordBody = { kind: "thread", threadId, settings: {}, baseInstructions: "Be." };
const envelope = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };
const started: RecordBody = { kind: "event", seq: 1, event: { type: "turnStarted", turnId, envelope } };
const prompt: EventBody = {
	kind: "event",
	seq: 2,
	event: {
		type: "itemCompleted",
		turnId,
		item: { kind: "userMessage", id: ItemId.parse("u"), messageKind: "plain", text: "hi" },
	},
};
const item: RecordBody = {
	kind: "event",
	seq: 3,
	event: { type: "itemStarted", turnId, item: { kind: "agentMessage", id: itemId, text: "" } },
};
const partial = (offset: number, text: string): RecordBody => ({
	kind: "partial",
	turnId,
	itemId,
	itemKind: "agentMessage",
	offset,
	text,
});
/** No test here reads one. */
const blobs: Blobs = openBlobs(disk, join(folder, "threads", "none.jsonl"));
const fold = (...bodies: readonly RecordBody[]) =>
	records(...bodies).reduce<ThreadState | undefined>(applyRecord, undefined);
const load = (path: string) => loadThread(disk, path, blobs, allOwn("t"));
const records = (...bodies: readonly RecordBody[]) =>
	bodies.map((body, index) => ({ v: 1, n: index + 1, at: 5, body }) as const);

test("a record comes back as it was written, whatever text it holds", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), (text) => {
			const [record] = records({ kind: "items", turnId, items: [{ kind: "userMessage", text }] });
			assert.ok(record);
			const line = encodeRecord(record);
			assert.equal(line.indexOf("\n"), line.length - 1);
			assert.deepEqual(decodeRecord(line.slice(0, -1)), { state: "good", record });
		}),
	);
});

test("what comes after a thread was closed is refused for that reason, not for want of space", async () => {
	const log = createThreadLog({ disk, lock, path: join(folder, "closed.jsonl"), last: 0, now: () => 5 });
	await log.append([header], "synced");
	await log.close();
	await assert.rejects(log.append([started], "synced"), {
		kind: "input-refused",
		message: "Not saved, because the thread was closed. Open it and try again.",
	});
});

test("one flipped bit anywhere in a line is noticed", () => {
	const [record] = records(header);
	assert.ok(record);
	const bytes = Buffer.from(encodeRecord(record)).subarray(0, -1);
	for (let index = 0; index < bytes.length; index += 1) {
		for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
			const flipped = Buffer.from(bytes);
			flipped[index] = (flipped[index] ?? 0) ^ bit;
			assert.equal(decodeRecord(flipped.toString("utf8")).state, "damaged", `byte ${index}, bit ${bit}`);
		}
	}
});

test("an intact record of unknown kind is distinguished from a damaged one", () => {
	const [record] = records(header);
	assert.ok(record);
	const newer = encodeRecord({ ...record, body: { kind: "hologram" } as never });
	assert.equal(decodeRecord(newer.slice(0, -1)).state, "newer");
});

test("a turn without its end is open, with the text that was saved of the item in flight", () => {
	const state = fold(header, started, prompt, item, partial(0, "Hel"), partial(3, "lo"));
	assert.deepEqual(state?.openTurn, {
		turnId,
		purpose: undefined,
		repeats: false,
		unrecordedInput: [{ kind: "userMessage", text: "hi" }],
		live: { turnId, itemId, itemKind: "agentMessage", text: "Hello" },
		runningTools: [],
		spent: undefined,
	});
});

test("input counts as recorded once history holds it", () => {
	const items: RecordBody = { kind: "items", turnId, items: [{ kind: "userMessage", text: "hi" }] };
	const state = fold(header, started, prompt, items);
	assert.deepEqual([state?.openTurn?.unrecordedInput, state?.history], [[], items.items]);
});

test("images of a turn without output yet are input too, until the history contains them", () => {
	const [image, lost] = [anImage(), anImage({ data: "" })];
	const images: RecordBody = { kind: "images", turnId, items: [image, lost] };
	const waiting = fold(header, started, prompt, images);
	assert.deepEqual(waiting?.openTurn?.unrecordedInput, [{ kind: "userMessage", text: "hi" }, image, LOST_IMAGE]);
	const items: RecordBody = { kind: "items", turnId, items: [{ kind: "userMessage", text: "hi" }, image] };
	const state = fold(header, started, prompt, images, items);
	assert.deepEqual([state?.openTurn?.unrecordedInput, state?.history], [[], items.items]);
});

test("records without a header are no thread", async () => {
	const path = join(folder, "headless.jsonl");
	for (const bodies of [[started], []]) {
		writeFileSync(
			path,
			records(...bodies)
				.map(encodeRecord)
				.join(""),
		);
		assert.equal((await load(path)).state, undefined);
	}
});

test("a title is the first line of the prompt, never longer than a list can show", () => {
	assert.equal(titleFrom("\n  Fix the test \nplease"), "Fix the test");
	assert.equal([...titleFrom("😀".repeat(200))].length, 80);
	assert.equal(titleFrom("## Fix `retry.ts`\n- soon"), "Fix retry.ts");
	assert.equal(titleFrom(`Fix ${"all words ".repeat(20)}`), `Fix ${"all words ".repeat(7)}all…`);
});

test("appended records are on disk when the promise resolves, and are read back in order", async () => {
	const path = join(folder, "order.jsonl");
	const log = createThreadLog({ disk, lock, path, last: 0, now: () => 5 });
	await log.append([header, started], "synced");
	await log.append([prompt], "unsynced");
	assert.deepEqual((await load(path)).state, fold(header, started, prompt));
	await log.close();
});

test("events stay on disk until they are read, page by page, and an unreadable one is reported in its place", async () => {
	const path = join(folder, "events.jsonl");
	const log = createThreadLog({ disk, lock, path, last: 0, now: () => 5 });
	const written = await log.append([header, started, prompt, item], "synced");
	await log.close();
	const { events } = await load(path);
	assert.equal(events.last(), 3);
	assert.deepEqual(await events.read({ after: 1, limit: 1 }), [{ seq: 2, at: 5, event: prompt.event }]);
	const numbers = async (range: EventRange) => (await events.read(range)).map(({ seq }) => seq);
	assert.deepEqual(await numbers({ after: 0, limit: 99 }), [1, 2, 3]);
	assert.deepEqual(await numbers({ after: 3, limit: 99 }), []);
	assert.deepEqual(await numbers({ after: 0, before: 99, limit: 2 }), [2, 3]);
	assert.deepEqual(await numbers({ after: 0, before: 3, limit: 99 }), [1, 2]);
	assert.deepEqual(await numbers({ after: 1, before: 2, limit: 99 }), []);
	const holed = createEventLog(disk, blobs);
	holed.add(written.events.filter(({ seq }) => seq !== 2));
	assert.deepEqual(
		(await holed.read({ after: 0, limit: 99 })).map(({ event }) => event.type),
		["turnStarted", "warning", "itemStarted"],
	);
});

test("a turn of an older release is read although it says more than is written now", async () => {
	const path = join(folder, "older.jsonl");
	const log = createThreadLog({ disk, lock, path, last: 0, now: () => 5 });
	const spent = { turn: NOTHING_SPENT, thread: NOTHING_SPENT };
	const tokens = { input: 9, cached: 4, output: 1, reasoning: 0, total: 10 };
	const counted = { last: tokens, total: tokens, window: 1, percentLeft: 50, estimated: false, baseline: 0, items: 1 };
	const telemetry = { startedAt: 5, usageBaseline: 1 };
	// The fields of their release, and without those that nobody read.
	const turn = (isOlder: boolean): RecordBody[] => [
		{ kind: "envelope", turnId, patch: { telemetry: { ...(isOlder && { traceId: "7" }), ...telemetry } } },
		{
			kind: "event",
			seq: 1,
			event: { type: "turnStarted", turnId, envelope: { ...envelope, ...(isOlder && { policyDigest: "d" }) } },
		},
		{ kind: "event", seq: 2, event: { type: "usage", turnId, ...counted, ...(isOlder && { cached: 4 }), spent } },
		{ kind: "event", seq: 3, event: { type: "turnCompleted", turnId, status: "completed", spent } },
	];
	await log.append([header, ...turn(true)], "synced");
	await log.close();
	const { state, events, damaged, newer } = await load(path);
	assert.deepEqual({ damaged, newer }, { damaged: 0, newer: false });
	assert.deepEqual(
		(await events.read({ after: 0, limit: 9 })).map(({ event }) => event),
		turn(false).flatMap((body) => (body.kind === "event" ? [body.event] : [])),
	);
	// The next turn leaves out of the envelope what it no longer has, and nothing else changes.
	const patch = createMergePatch(state?.envelope, { telemetry });
	assert.deepEqual(patch, { telemetry: { traceId: null } });
	assert.deepEqual(state && { ...state, envelope: applyMergePatch(state.envelope, patch ?? {}) }, {
		...fold(header, ...turn(false)),
	});
});

test("in a long thread, only records that its state depends on are parsed", async () => {
	const path = join(folder, "long.jsonl");
	const ended: RecordBody = { kind: "event", seq: 4, event: { type: "turnCompleted", turnId, status: "completed" } };
	writeFileSync(path, records(header, started, prompt, item, ended).map(encodeRecord).join(""));
	// Bytes that would not parse, under a correct checksum: only a reader of the transcript reads them.
	const unparsed = '{"v":1,"n":6,"at":5,"body":{"kind":"event","seq":5,"event":{"type":"warning","turnId":"turn"}';
	appendFileSync(path, `${crc32(unparsed).toString(16).padStart(8, "0")} ${unparsed}\n`);
	const { state, events, newer, damaged } = await load(path);
	const expected = fold(header, started, ended);
	assert.deepEqual([state, newer, damaged], [expected && { ...expected, records: 6 }, false, 0]);
	assert.equal(events.last(), 5);
});

test("a torn last line is set aside, byte for byte, at every place it can tear", async () => {
	const path = join(folder, "torn.jsonl");
	const whole = records(header, started).map(encodeRecord).join("");
	const [, second = ""] = records(header, started).map(encodeRecord);
	for (let cut = 1; cut < second.length; cut += 1) {
		writeFileSync(path, whole + second.slice(0, cut));
		const loaded = await load(path);
		await setTornTailAside(disk, loaded.end);
		assert.equal(readFileSync(path, "utf8"), whole);
		assert.deepEqual(loaded.state, fold(header, started));
	}
	const aside = readdirSync(folder).filter((name) => name.startsWith("torn.jsonl.torn-"));
	assert.equal(aside.length, second.length - 1);
});

test("a damaged line costs that record only", async () => {
	const path = join(folder, "damaged.jsonl");
	writeFileSync(path, encodeRecord({ v: 1, n: 1, at: 5, body: header }));
	appendFileSync(path, "00000000 {}\n");
	appendFileSync(path, encodeRecord({ v: 1, n: 3, at: 5, body: started }));
	const loaded = await load(path);
	const [first, , third] = records(header, item, started);
	assert.ok(first && third);
	assert.deepEqual([loaded.damaged, loaded.state], [1, applyRecord(applyRecord(undefined, first), third)]);
});

test("an answer recorded late does not take back what sub-agents spent before it", async () => {
	const spentOf = (tokens: number) => ({ ...NOTHING_SPENT, tokens });
	const count = { input: 100, cached: 0, output: 0, reasoning: 0, total: 100 };
	const used = { type: "usage", turnId, last: count, total: count, window: 1, percentLeft: 1 } as const;
	const soFar = (tokens: number) => ({ turn: spentOf(tokens), thread: spentOf(1_000 + tokens) });
	const bodies: readonly RecordBody[] = [
		header,
		started,
		{ kind: "spent", turnId, spent: soFar(300) },
		{ kind: "event", seq: 2, event: { ...used, estimated: false, baseline: 0, spent: soFar(100) } },
	];
	const path = join(folder, "spent.jsonl");
	writeFileSync(
		path,
		records(...bodies)
			.map(encodeRecord)
			.join(""),
	);
	for (const state of [fold(...bodies), (await load(path)).state])
		assert.deepEqual([state?.spent, state?.openTurn?.spent], [spentOf(1_300), soFar(300)]);
});

test("a thread read back is what it was, whatever its history went through between its turns", async () => {
	const acts = ["counted turn", "compacted turn", "turn", "rollback", "redo", "undo", "mute", "count"] as const;
	const path = join(folder, "moves.jsonl");
	await fc.assert(
		fc.asyncProperty(fc.array(fc.constantFrom(...acts), { maxLength: 12 }), async (moves) => {
			const bodies: RecordBody[] = [header];
			const note = (event: EventBody["event"]) => bodies.push({ kind: "event", seq: bodies.length, event });
			const count = (tokens: number) => {
				const last = { input: tokens, cached: 0, output: 0, reasoning: 0, total: tokens };
				const used = { type: "usage", turnId, last, total: last, window: 9_000, percentLeft: tokens % 100 } as const;
				note({ ...used, items: fold(...bodies)?.history.length, estimated: false, baseline: 0 });
			};
			for (const [index, move] of moves.entries()) {
				const own = TurnId.parse(`turn-${index}`);
				if (move.endsWith("turn")) {
					note({ type: "turnStarted", turnId: own, envelope });
					bodies.push({ kind: "items", turnId: own, items: [{ kind: "agentMessage", text: `${index}` }] });
					if (move !== "turn") count(1_000 + index);
					if (move === "compacted turn") {
						bodies.push({ kind: "rewrite", reason: "compaction", keep: 0, starts: [], items: [] });
						count(10 + index);
					}
					note({ type: "turnCompleted", turnId: own, status: "completed" });
				} else if (move === "rollback") {
					bodies.push({ kind: "rewrite", reason: "rollback", keep: 0, items: [] });
					note({ type: "rolledBack", turnIds: [own] });
				} else if (move === "redo") note({ type: "rollbackUndone", turnIds: [own], gone: [] });
				else if (move === "count") count(2_000 + index);
				else if (move === "undo") bodies.push({ kind: "rewrite", reason: "undo", keep: 0, items: [] });
				else bodies.push({ kind: "mute", at: 0, line: "[muted]" });
			}
			writeFileSync(
				path,
				records(...bodies)
					.map(encodeRecord)
					.join(""),
			);
			assert.deepEqual((await load(path)).state, fold(...bodies));
		}),
	);
});

test("a line that stands twice, or too late, counts once and in its place", async () => {
	const path = join(folder, "twice.jsonl");
	const said: RecordBody = { kind: "items", turnId, items: [{ kind: "userMessage", text: "hi" }] };
	const [first = "", second = "", third = ""] = records(header, started, said).map(encodeRecord);
	writeFileSync(path, [first, second, third, third, second].join(""));
	const { state, damaged } = await load(path);
	assert.deepEqual([state?.history, state?.turns, damaged], [said.items, 1, 2]);
});

test("only what another process appended is read, and a truncated or replaced file is loaded again", async () => {
	const path = join(folder, "followed.jsonl");
	writeFileSync(path, records(header, started, prompt).map(encodeRecord).join(""));
	const { end, state } = await load(path);
	const more = records(header, started, prompt, item, partial(0, "Hel"));
	const added = more.slice(3).map(encodeRecord).join("");
	appendFileSync(path, `${added}0123`);
	const places: number[] = [];
	const watched: Disk = {
		...disk,
		openRead: async (file) => {
			const opened = await disk.openRead(file);
			const read = (into: Buffer, position: number) => {
				places.push(position);
				return opened.read(into, position);
			};
			return { ...opened, read };
		},
	};
	const found = await readAdded(watched, path, blobs, end);
	assert.deepEqual(
		found?.records.map(({ record }) => record),
		more.slice(3),
	);
	assert.equal(Math.min(...places), end.wholeBytes);
	assert.equal(found.end.wholeBytes, end.wholeBytes + added.length);
	const next = found.records.reduce<ThreadState | undefined>((one, { record }) => applyRecord(one, record), state);
	assert.equal(next?.openTurn?.live?.text, "Hel");
	assert.deepEqual((await readAdded(watched, path, blobs, found.end))?.records, []);
	writeFileSync(path, "");
	assert.equal(await readAdded(disk, path, blobs, found.end), undefined);
	writeFileSync(`${path}.2`, "");
	assert.equal(await readAdded(disk, path, blobs, end), undefined);
});

test("a thread has one writer at a time, and the next one gets its turn when the first is done", async () => {
	const path = join(folder, "locked.jsonl");
	const first = await lock(path);
	assert.ok("release" in first);
	assert.deepEqual(await lock(path), { owner: String(process.pid) });
	first.release();
	const second = await lock(path);
	assert.ok("release" in second);
	second.release();
});

test("an envelope is stored as what changed, and comes back whole", () => {
	const value = fc.letrec<{ readonly tree: Json }>((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 3 },
			fc.string(),
			fc.integer(),
			fc.boolean(),
			fc.array(fc.integer(), { maxLength: 3 }),
			fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("tree"), { maxKeys: 3 }),
		),
	})).tree;
	fc.assert(
		fc.property(value, value, (before, after) => {
			const patch = createMergePatch(before, after);
			const result = patch === undefined ? before : applyMergePatch(before, patch);
			assert.equal(JSON.stringify(sorted(result)), JSON.stringify(sorted(after)));
		}),
	);
});

function sorted(value: Json): Json {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	return Object.entries(value)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([key, part]) => [key, sorted(part)]);
}
