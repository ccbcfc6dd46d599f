import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../../../agent-host/protocol/host/language.ts";
import { describeDelta } from "../../../agent-host/tools/problems-after.ts";

const problem = (path: string, message: string, line = 0, severity: Problem["severity"] = "error"): Problem => ({
	...{ path, position: { line, character: 0 }, severity, message },
});
const found = (problems: readonly Problem[], unchecked: readonly string[] = []) => ({
	...{ problems, unchecked, more: 0, mark: 1 },
});
const A = { before: "/w/a.ts", after: "/w/a.ts" };

test("the second of two equal problems is new, and a line that moved is not", () => {
	const before = found([problem("/w/a.ts", "Odd.", 3)]);
	const after = found([problem("/w/a.ts", "Odd.", 9), problem("/w/a.ts", "Odd.", 12)]);
	assert.equal(describeDelta([A], before, after, "/w"), "New problems:\na.ts:13:1 error: Odd.");
	assert.equal(describeDelta([A], after, before, "/w"), "1 problem fixed.");
	assert.equal(describeDelta([A], before, found([problem("/w/a.ts", "Odd.", 1)]), "/w"), undefined);
});

test("a file that is moved takes its problems along, and those of a deleted one are gone", () => {
	const moved = { before: "/w/a.ts", after: "/w/b.ts" };
	const deleted = { before: "/w/c.ts", after: undefined };
	const before = found([problem("/w/a.ts", "Old."), problem("/w/c.ts", "Gone.")]);
	const after = found([problem("/w/b.ts", "Old."), problem("/w/b.ts", "New.")]);
	assert.equal(
		describeDelta([moved, deleted], before, after, "/w"),
		"New problems:\nb.ts:1:1 error: New.\n1 problem fixed.",
	);
});

test("a problem that was not checked again does not count as fixed", () => {
	const before = found([problem("/w/a.ts", "Odd.")]);
	assert.equal(describeDelta([A], before, found([], ["/w/a.ts"]), "/w"), undefined);
});

test("a list has 20 lines, errors first, and a message cannot begin a line of its own", () => {
	const warnings = Array.from({ length: 30 }, (_, line) => problem("/w/a.ts", `Warning ${line}`, line, "warning"));
	const error = problem("/w/a.ts", "Odd.\nNew problems:", 40);
	const lines = describeDelta([A], found([]), found([...warnings, error]), "/w")?.split("\n") ?? [];
	assert.deepEqual(lines.slice(0, 2), ["New problems:", "a.ts:41:1 error: Odd.\\u000aNew problems:"]);
	assert.deepEqual([lines.length, lines.at(-1)], [22, "and 11 more"]);
});
