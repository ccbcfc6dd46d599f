import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readByteOrderMark } from "../../../agent-host/patch/text-file.ts";
import { diffLines } from "../../../agent-host/review/diff-lines.ts";
import { type Hunk, keepHunks, rejectHunks } from "../../../agent-host/review/hunks.ts";
import { type Lines, withoutMarker, writeLines } from "../../../agent-host/review/lines.ts";
import { planRedo, planRestore, type Touch } from "../../../agent-host/review/plan-restore.ts";
import { findHunks, followFile, readLines } from "../../support/review-at-once.ts";

const runs = { numRuns: process.env.VITRINE_FULL === "1" ? 20_000 : 1_000 };
// Few words, so that lines repeat and hunks meet.
const line = fc.constantFrom("a", "b", "c", "}", "");
const lines = fc.array(line, { maxLength: 12 });
const end = fc.constantFrom("\n", "\r\n");
/** A file, or none. */
const file = fc.option(
	fc.record({ lines, end, isEnded: fc.boolean(), mark: fc.constantFrom("", "\uFEFF") }).map(toText),
	{ nil: undefined },
);

function toText(of: { lines: readonly string[]; end: string; isEnded: boolean; mark: string }): string {
	return of.mark + of.lines.join(of.end) + (of.isEnded && of.lines.length > 0 ? of.end : "");
}

function read(text: string | undefined): Lines {
	return readLines(text === undefined ? undefined : Buffer.from(text)) ?? assert.fail("not text");
}

function write(all: Lines, like: string | undefined): string | undefined {
	const bytes = writeLines(all, readByteOrderMark(like === undefined ? undefined : Buffer.from(like)));
	return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

function subset(hunks: readonly Hunk[], picks: readonly boolean[]): readonly Hunk[] {
	return hunks.filter((_, index) => picks[index % picks.length] === true);
}

test("a diff turns one text into the other with as few lines as any", () => {
	fc.assert(
		fc.property(lines, lines, (a, b) => {
			const splices = diffLines(a, b);
			const made = splices.toReversed().reduce((all, { from, to, at, until }) => {
				return [...all.slice(0, from), ...b.slice(at, until), ...all.slice(to)];
			}, a);
			assert.deepEqual(made, b);
			const cost = splices.reduce((sum, { from, to, at, until }) => sum + to - from + until - at, 0);
			assert.equal(cost, a.length + b.length - 2 * commonLength(a, b));
		}),
		runs,
	);
});

test("texts that have nothing in common are one change, found at once", () => {
	const [a, b] = [0, 1].map((side) => Array.from({ length: 20_000 }, (_, index) => `${side} ${index}`));
	assert.deepEqual(diffLines(a ?? [], b ?? []), [{ from: 0, to: 20_000, at: 0, until: 20_000 }]);
});

test("rejecting hunks leaves exactly the others, byte for byte, and keeping hunks creates no new ones", () => {
	fc.assert(
		fc.property(file, file, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (before, after, picks) => {
			const [base, now] = [read(before), read(after)];
			const hunks = findHunks("f", base, now, { ends: "exact" });
			const chosen = subset(hunks, picks);
			const others = hunks.filter((hunk) => !chosen.includes(hunk));
			const rejected = rejectHunks(base, now, chosen);
			const kept = keepHunks(base, now, chosen);
			assert.deepEqual(rejected, keepHunks(base, now, others));
			assert.deepEqual(kept, rejectHunks(base, now, others));
			assert.equal(write(rejectHunks(base, now, hunks), before), before);
			assert.equal(write(keepHunks(base, now, hunks), after), after);
			assert.deepEqual(findHunks("f", base, rejected, { ends: "exact" }).length === 0, others.length === 0);
		}),
		runs,
	);
});

test("rejecting all of the agent's hunks keeps the user's changes elsewhere and nothing of the agent's", () => {
	const untouched = fc.array(fc.constantFrom("u", "v", "w"), { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(untouched, lines, lines, untouched, lines, (head, agentBefore, agentAfter, tail, userTail) => {
			const text = (...parts: readonly (readonly string[])[]) => read(`${parts.flat().join("\r\n")}\r\n`);
			const user = ["user", ...head, "mine"];
			const before = text(head, ["|"], agentBefore, ["|"], tail);
			const after = text(head, ["|"], agentAfter, ["|"], tail);
			const now = text(user, ["|"], agentAfter, ["|"], [...tail, ...userTail]);
			const { base, overlaps } = followFile({ base: before, seen: before }, [{ before, after }], now, "exact");
			assert.deepEqual(overlaps, []);
			assert.deepEqual(base, text(user, ["|"], agentBefore, ["|"], [...tail, ...userTail]));
		}),
		runs,
	);
});

test("no line is lost: whatever happens to a file, its hunks lead from the base to its content and back", () => {
	fc.assert(
		fc.property(file, fc.array(fc.tuple(file, file), { maxLength: 3 }), file, (first, all, last) => {
			const steps = all.map(([before, after]) => ({ before: read(before), after: read(after) }));
			const now = read(last);
			const { base } = followFile({ base: read(first), seen: read(first) }, steps, now, "exact");
			const hunks = findHunks("f", base, now, { ends: "exact" });
			assert.deepEqual(rejectHunks(base, now, hunks), base);
			assert.deepEqual(keepHunks(base, now, hunks), now);
			assert.deepEqual(withoutMarker(read(write(base, undefined))), withoutMarker(base), "as it is written");
		}),
		runs,
	);
});

test("a hunk that the user edited is changed, one that they removed is gone, and both are recorded", () => {
	const before = read("one\ntwo\nthree\nfour\nfive\n");
	const after = read("ONE\ntwo\nTHREE\nfour\nFIVE\n");
	const now = read("ONE\ntwo\nthree!\nfour\nfive\n");
	const { base, overlaps, edited } = followFile({ base: before, seen: before }, [{ before, after }], now, "exact");
	assert.deepEqual(base, before);
	assert.deepEqual(
		overlaps.map(({ agent, now: made }) => [agent, made]),
		[
			[["THREE\n"], ["three!\n"]],
			[["FIVE\n"], ["five\n"]],
		],
	);
	const hunks = findHunks("f", base, now, { ends: "exact", edited });
	assert.deepEqual(
		hunks.map(({ state, line: at, removed, added }) => ({ state, at, removed, added })),
		[
			{ state: "pending", at: 1, removed: ["one\n"], added: ["ONE\n"] },
			{ state: "changed", at: 3, removed: ["three\n"], added: ["three!\n"] },
		],
	);
});

test("what the user makes again of a file that the agent deleted is theirs, and its other changes stay pending", () => {
	const before = read("one\ntwo\nthree\n");
	const changed = read("ONE\ntwo\nthree\n");
	const again = read("ONE\ntwo\nthree\nmine\n");
	const steps = [
		{ before, after: changed },
		{ before: changed, after: [] },
	];
	const { base, overlaps, edited } = followFile({ base: before, seen: before }, steps, again, "exact");
	assert.deepEqual(base, read("one\ntwo\nthree\nmine\n"));
	assert.deepEqual(
		findHunks("f", base, again, { ends: "exact", edited }).map(({ state, removed, added }) => [state, removed, added]),
		[["pending", ["one\n"], ["ONE\n"]]],
	);
	const [told, ...others] = overlaps.map(({ base: was, agent, now }) => [was, agent, now].map((all) => all.length));
	assert.deepEqual([told, others], [[3, 0, 4], []]);
	// After a review, only the file without the agent's changes is known.
	assert.deepEqual(followFile({ base: before, seen: [] }, [], again, "exact").base, again);
});

test("a change that the user edited stays changed, also when the agent changes lines of it afterwards", () => {
	const agents = read("one\ntwo\nthree\nfour\n");
	const users = read("one\nmine\nthree\nfour\n");
	const later = read("one\nmine\nthree\nFOUR\nfive\n");
	const steps = [
		{ before: [], after: agents },
		{ before: users, after: later },
	];
	const stateOf = (edited: ReturnType<typeof followFile>["edited"]) =>
		findHunks("f", [], later, { ends: "exact", edited }).map(({ state }) => state);
	assert.deepEqual(stateOf(followFile({ base: [], seen: [] }, steps, later, "exact").edited), ["changed"]);
	// Found in an earlier turn.
	const [hunk] = findHunks("f", [], users, { ends: "exact" });
	const followed = followFile({ base: [], seen: users }, steps.slice(1), later, "exact", hunk && [hunk]);
	assert.deepEqual(stateOf(followed.edited), ["changed"]);
});

test("a hunk keeps its name while others come and go, and has another once its lines differ", () => {
	const before = read("one\ntwo\nthree\n");
	const after = read("ONE\ntwo\nTHREE\n");
	const [first, second] = findHunks("f", before, after, { ends: "exact" });
	const [alone] = findHunks("f", before, read("one\ntwo\nTHREE\n"), { ends: "exact" });
	assert.equal(alone?.id, second?.id);
	assert.notEqual(first?.id, second?.id);
	assert.notEqual(findHunks("g", before, after, { ends: "exact" })[0]?.id, first?.id);
});

test("in an open document the kind of line ends is not a change", () => {
	const [base, now] = [read("one\r\ntwo\nthree\r\n"), read("one\r\nTWO\r\nthree\r\n")];
	assert.deepEqual(
		findHunks("f", base, now, { ends: "any" }).map(({ line: at }) => at),
		[2],
	);
});

test("restore and redo undo each other, and leave other changes alone", () => {
	const state = fc.constantFrom("x", "y", "z", undefined);
	const touch = fc.record({ path: fc.constantFrom("f", "g"), before: state, after: state });
	fc.assert(
		fc.property(fc.array(touch, { maxLength: 8 }), fc.record({ f: state, g: state }), (touched, start) => {
			const touches: readonly Touch[] = touched.map((one) => ({ turnId: "t", ...one }));
			const disk = new Map<string, string | undefined>(Object.entries(start));
			const now = (path: string) => disk.get(path);
			const plan = planRestore(touches, now);
			const done = plan.filter((one) => one.state === "restore");
			for (const { path, target } of done) disk.set(path, target);
			for (const { path, state: what } of plan) {
				const versions = touches.flatMap((one) => (one.path === path ? [one.before, one.after] : []));
				assert.equal(what === "restore", versions.includes(start[path as "f" | "g"]), "only what the agent knew");
				if (what === "conflict") assert.equal(disk.get(path), start[path as "f" | "g"]);
			}
			const record = done.map((one) => ({ turnId: "t", path: one.path, before: one.now, after: one.target }));
			const redo = planRedo(record, now);
			assert.ok(redo.every((one) => one.state === "restore"));
			for (const { path, target } of redo) disk.set(path, target);
			assert.deepEqual(Object.fromEntries(disk), { f: start.f, g: start.g });
		}),
		runs,
	);
});

function commonLength(a: readonly string[], b: readonly string[]): number {
	let row = new Array<number>(b.length + 1).fill(0);
	for (const one of a) {
		const next = [0];
		for (const [index, other] of b.entries()) {
			next.push(one === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
		}
		row = next;
	}
	return row.at(-1) ?? 0;
}
