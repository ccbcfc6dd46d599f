import assert from "node:assert/strict";
import { test } from "node:test";
import { createTally, type Seen } from "../../runner/tally.ts";

const WORKER = 10;

function seen(pid: number, parent: number, own: number, waited = 0, start = pid): Seen {
	return { pid, parent, start, own, waited };
}

function tallyOf(...looks: readonly (readonly Seen[])[]): number | undefined {
	const tally = createTally();
	tally.watch(WORKER);
	for (const look of looks) tally.add(look);
	return tally.ticksSoFar(WORKER);
}

test("a process is charged with its living descendants and with no others", () => {
	assert.equal(
		tallyOf([seen(1, 0, 900), seen(WORKER, 1, 5), seen(11, WORKER, 20), seen(12, 11, 300), seen(9, 1, 70)]),
		325,
	);
});

test("the time of a child that its parent waited for counts once", () => {
	const before = [seen(WORKER, 1, 5), seen(11, WORKER, 20), seen(12, 11, 300)];
	assert.equal(tallyOf(before, [seen(WORKER, 1, 5), seen(11, WORKER, 21, 310)]), 336);
	assert.equal(tallyOf(before, [seen(WORKER, 1, 6, 340)]), 346);
});

test("a killed browser is charged with helpers that no process waited for", () => {
	const before = [seen(WORKER, 1, 5), seen(11, WORKER, 20), seen(12, 11, 300), seen(13, 12, 100)];
	// Only the browser itself is waited for.
	assert.equal(tallyOf(before, [seen(WORKER, 1, 5, 25)]), 5 + 25 + (420 - 25));
});

test("a process that outlives its parent is still charged to its origin, even once it has ended", () => {
	const before = [seen(WORKER, 1, 5), seen(11, WORKER, 20), seen(12, 11, 300)];
	const orphan = [seen(WORKER, 1, 5, 20), seen(12, 1, 400)];
	assert.equal(tallyOf(before, orphan), 425);
	assert.equal(tallyOf(before, orphan, [seen(WORKER, 1, 5, 20)]), 425);
});

test("a new process with a reused number is a different one", () => {
	const before = [seen(WORKER, 1, 5), seen(11, WORKER, 20)];
	assert.equal(tallyOf(before, [seen(WORKER, 1, 5, 20), seen(11, 1, 777, 0, 99)]), 25);
});

test("an ended process keeps the time it used, and one never seen has no figure", () => {
	assert.equal(tallyOf([seen(WORKER, 1, 5, 2)], []), 7);
	assert.equal(tallyOf([seen(11, 1, 5)]), undefined);
});
