import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { loadWhole } from "../support/load-events.ts";
import { createMemoryDisk, type DiskOperation, type Fault, failure, type MemoryDisk } from "../support/memory-disk.ts";
import { aSession, isStorageFailure } from "../support/memory-session.ts";

const TURNS = process.env.VITRINE_FULL === "1" ? 5 : 3;
/** One in this many of the places where a disk can fail is tried. */
const STRIDE = process.env.VITRINE_FULL === "1" ? 1 : 2;
/** Does not fit in a line, so that text stored apart meets every fault too. */
const GIANT_TURN = TURNS - 2;
const GIANT = "a prompt that goes on and on ".repeat(3_000);

/** Faults of one disk operation, by what a person would call them. `from` counts operations of that kind. */
const FAULTS: Readonly<Record<string, (from: number) => Fault>> = {
	"the disk is full, after taking half of the last write": (from) =>
		onceAndAfter("write", from, (operation, isFirst) => {
			if (isFirst && operation.op === "write") return Math.floor(operation.bytes.length / 2);
			throw failure("ENOSPC");
		}),
	"one write fails": (from) =>
		once("write", from, () => {
			throw failure("EIO");
		}),
	"one sync fails": (from) =>
		once("sync", from, () => {
			throw failure("EIO");
		}),
	"every sync fails": (from) =>
		onceAndAfter("sync", from, () => {
			throw failure("EIO");
		}),
	"one file or folder cannot be made": (from) =>
		once("name", from, () => {
			throw failure("EACCES");
		}),
	"one file cannot be renamed": (from) =>
		once("move", from, () => {
			throw failure("EIO");
		}),
	"one folder cannot be synced": (from) =>
		once("syncFolder", from, () => {
			throw failure("EIO");
		}),
	"a write fails, and so does cutting back what it left": (from) => {
		const write = once("write", from, (operation) => {
			if (operation.op === "write") return 1;
			return undefined;
		});
		let failing = false;
		return (operation, index) => {
			if (failing && (operation.op === "write" || operation.op === "truncate")) throw failure("EIO");
			const taken = write(operation, index);
			if (taken === 1) failing = true;
			return taken;
		};
	},
};

for (const [what, faultFrom] of Object.entries(FAULTS)) {
	test(`${what}, at every ${STRIDE === 1 ? "" : "other "}possible place: no false acknowledgement, no torn line, and all threads go on`, async (t) => {
		let points = 0;
		let refused = 0;
		for (let from = 0; ; from += STRIDE) {
			const outcome = await runWithFault(faultFrom(from));
			if (!outcome.hit) break;
			points += 1;
			refused += outcome.refused;
		}
		t.diagnostic(`false acknowledgements: 0 at ${points} points; turns refused or failed: ${refused}`);
		assert.ok(points > 0);
	});
}

async function runWithFault(fault: Fault): Promise<{ readonly hit: boolean; readonly refused: number }> {
	const disk = createMemoryDisk();
	const { session, published, runTurn } = await aSession(disk);
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	const acknowledged: TurnId[] = [];
	let hit = false;
	let refused = 0;
	disk.fault = (operation, index) => {
		try {
			const taken = fault(operation, index);
			hit ||= taken !== undefined;
			return taken;
		} catch (error) {
			hit = true;
			throw error;
		}
	};
	for (let turn = 0; turn < TURNS; turn += 1) {
		try {
			acknowledged.push(await runTurn(threadId, `Prompt ${turn}. ${turn === GIANT_TURN ? GIANT : ""}`));
		} catch (error) {
			assert.ok(isStorageFailure(error), String(error));
			refused += 1;
		}
	}
	disk.fault = undefined;
	const completed = published.flatMap(({ seq, event }) =>
		seq !== undefined && event.type === "turnCompleted" ? [event.turnId] : [],
	);
	await assertOnDisk(disk, threadId, acknowledged, completed);
	await assertGoesOn(disk, threadId, acknowledged.length > 0);
	return { hit, refused };
}

async function assertOnDisk(
	disk: MemoryDisk,
	threadId: ThreadId,
	acknowledged: readonly TurnId[],
	completed: readonly TurnId[],
): Promise<void> {
	if (acknowledged.length === 0) return;
	const { loaded, events } = await loadWhole(disk, `/home/threads/${threadId}.jsonl`);
	assert.equal(loaded.damaged, 0);
	assert.ok(!JSON.stringify(events).includes("[Unreadable"), "what a record names is there before the record is");
	const has = (type: "turnStarted" | "turnCompleted", turnId: TurnId) =>
		events.some(({ event }) => event.type === type && event.turnId === turnId);
	assert.deepEqual(
		[
			acknowledged.filter((turnId) => !has("turnStarted", turnId)),
			completed.filter((turnId) => !has("turnCompleted", turnId)),
		],
		[[], []],
	);
	assert.deepEqual(
		events.map(({ seq }) => seq),
		events.map((_, index) => index + 1),
	);
}

/** Once the disk works again, a new host takes up the thread, torn or not, and its turns are kept. */
async function assertGoesOn(disk: MemoryDisk, threadId: ThreadId, exists: boolean): Promise<void> {
	const { session, runTurn } = await aSession(disk);
	const target = exists ? threadId : session.threads.start({ cwd: undefined, settings: {} });
	const turnId = await runTurn(target, "Still there?");
	const { events } = await loadWhole(disk, `/home/threads/${target}.jsonl`);
	assert.ok(events.some(({ event }) => event.type === "turnCompleted" && event.turnId === turnId));
}

type Act = (operation: DiskOperation, isFirst: boolean) => number | undefined;

function once(op: DiskOperation["op"], from: number, act: (operation: DiskOperation) => number | undefined): Fault {
	return onceAndAfter(op, from, (operation, isFirst) => (isFirst ? act(operation) : undefined));
}

function onceAndAfter(op: DiskOperation["op"], from: number, act: Act): Fault {
	let seen = 0;
	return (operation) => {
		if (operation.op !== op) return undefined;
		seen += 1;
		return seen > from ? act(operation, seen === from + 1) : undefined;
	};
}
