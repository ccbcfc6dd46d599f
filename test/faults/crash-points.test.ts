import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { TurnId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { afterKill, afterPowerLoss, createRandom } from "../support/crash.ts";
import { loadWhole } from "../support/load-events.ts";
import { createMemoryDisk, type DiskOperation } from "../support/memory-disk.ts";
import { aSession } from "../support/memory-session.ts";

const TURNS = process.env.VITRINE_FULL === "1" ? 40 : 8;
/** Turns whose prompt does not fit in a line and is kept apart. */
const GIANT_TURNS: ReadonlySet<number> = new Set([2, 11]);
const promptOf = (turn: number) =>
	`Prompt ${turn}${GIANT_TURNS.has(turn) ? ` and number ${turn} goes on`.repeat(3_000) : ""}`;
/** Places inside of a write, besides its ends, at which it is torn. */
const TEARS = process.env.VITRINE_FULL === "1" ? 8 : 1;
const POWER_LOSSES = process.env.VITRINE_FULL === "1" ? 100_000 : 1_500;
/** Power fails within the first turns, where files are small, so that many failures can be tried. */
const POWER_LOSS_OPERATIONS = 200;
const REOPENED_EVERY = 25;

/** What the client was told, and how many disk operations had been made by then. */
interface Acknowledged {
	readonly operations: number;
	readonly turnId: TurnId;
	readonly what: "started" | "completed";
	readonly prompt: string;
}

let operations: readonly DiskOperation[] = [];
const acknowledged: Acknowledged[] = [];
let path = "";

before(async () => {
	const disk = createMemoryDisk();
	const { session, published } = await aSession(disk);
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	path = `/home/threads/${threadId}.jsonl`;
	for (let turn = 0; turn < TURNS; turn += 1) {
		const seen = published.length;
		const turnId = await session.startTurn({ threadId, input: [{ kind: "text", text: promptOf(turn) }] });
		acknowledged.push({ operations: disk.operations.length, turnId, what: "started", prompt: promptOf(turn) });
		await (await session.threads.open(threadId)).running?.ended;
		assert.equal(published.slice(seen).at(-1)?.event.type, "turnCompleted");
		acknowledged.push({ operations: disk.operations.length, turnId, what: "completed", prompt: promptOf(turn) });
	}
	operations = [...disk.operations];
});

test("after kill -9 at every disk operation, whole or torn, no acknowledged record is lost or damaged", async (t) => {
	let points = 0;
	for (let made = 1; made <= operations.length; made += 1) {
		const prefix = operations.slice(0, made);
		const last = prefix.at(-1);
		const length = last?.op === "write" ? last.bytes.length : 0;
		const parts = Array.from({ length: TEARS }, (_, index) => Math.floor((length * (index + 1)) / (TEARS + 1)));
		for (const torn of new Set([length, 0, 1, ...parts, Math.max(0, length - 1)])) {
			const before = torn === length ? made : made - 1;
			const state = await reopen(afterKill(prefix, torn), "intact");
			assertKept(state, before);
			points += 1;
		}
	}
	t.diagnostic(`acknowledged records lost: 0 of ${acknowledged.length} at ${points} crash points`);
	assert.ok(points > 40 * TURNS, `only ${points} points`);
});

test("after a power loss at any moment, whatever the disk made of unsynced bytes, no acknowledged record is lost", async (t) => {
	const random = createRandom(1);
	for (let seed = 0; seed < POWER_LOSSES; seed += 1) {
		const made = 1 + Math.floor(random() * POWER_LOSS_OPERATIONS);
		const state = await reopen(afterPowerLoss(operations.slice(0, made), random), "any");
		assertKept(state, made);
	}
	t.diagnostic(`acknowledged records lost: 0 in ${POWER_LOSSES} power losses`);
});

test("a thread cut at any byte continues: its open turn is ended, and the next turn is recorded after it", async () => {
	for (let made = REOPENED_EVERY; made <= operations.length; made += REOPENED_EVERY) {
		const prefix = operations.slice(0, made);
		const last = prefix.at(-1);
		const files = afterKill(prefix, last?.op === "write" ? Math.floor(last.bytes.length / 2) : 0);
		if ((files.get(path)?.lastIndexOf(0x0a) ?? -1) < 0) continue;
		const disk = createMemoryDisk(files);
		const { session, runTurn } = await aSession(disk);
		const [summary] = await session.threads.list();
		assert.ok(summary);
		const turnId = await runTurn(summary.threadId, "And now?");
		const { events } = await loadWhole(disk, path);
		assert.deepEqual(unendedTurns(events), []);
		assert.ok(events.some(({ event }) => event.type === "turnCompleted" && event.turnId === turnId));
	}
});

async function reopen(
	files: ReadonlyMap<string, Buffer>,
	damage: "intact" | "any",
): Promise<readonly PublishedEvent[]> {
	if (!files.has(path)) return [];
	const { loaded, state, events } = await loadWhole(createMemoryDisk(files), path);
	if (damage === "intact") assert.deepEqual([loaded.damaged, loaded.newer], [0, false]);
	assert.deepEqual(
		events.map(({ seq }) => seq),
		events.map((_, index) => index + 1),
	);
	assert.equal(unendedTurns(events).length, state?.openTurn === undefined ? 0 : 1);
	return events;
}

function assertKept(events: readonly PublishedEvent[], made: number): void {
	for (const { operations: needed, turnId, what, prompt } of acknowledged) {
		if (needed > made) continue;
		const kept = events.some(({ event }) =>
			what === "started"
				? event.type === "itemCompleted" &&
					event.turnId === turnId &&
					event.item.kind === "userMessage" &&
					event.item.text === prompt
				: event.type === "turnCompleted" && event.turnId === turnId,
		);
		assert.ok(kept, `turn ${turnId} was ${what} after ${needed} operations and is lost after ${made}`);
	}
}

function unendedTurns(events: readonly PublishedEvent[]): readonly string[] {
	const ended = new Set(events.flatMap(({ event }) => (event.type === "turnCompleted" ? [event.turnId] : [])));
	return events.flatMap(({ event }) =>
		event.type === "turnStarted" && !ended.has(event.turnId) ? [event.turnId] : [],
	);
}
