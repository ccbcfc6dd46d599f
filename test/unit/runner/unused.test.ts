import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeUnused } from "../../runner/unused.ts";
import { NOT_YET_USED } from "../../support/not-yet-used.ts";

/** What knip would report of exactly what is listed. */
const LISTED = Object.keys(NOT_YET_USED.code).map((waiting) => {
	const [file = "", name] = waiting.split(": ");
	return name === undefined ? { file, files: [{ name: file }], exports: [] } : { file, files: [], exports: [{ name }] };
});

const judge = (issues: readonly object[]) => judgeUnused(JSON.stringify({ issues })).split("\n");

test("code that waits for a capability on the list is no problem", () => {
	assert.deepEqual(judge(LISTED), [""]);
});

test("code that only tests use is named, whatever kind of thing it is", () => {
	const more = [
		{ file: "a.ts", files: [{ name: "a.ts" }] },
		{ file: "b.ts", exports: [{ name: "one" }], types: [{ name: "Two" }], duplicates: [[{ name: "x" }]] },
	];
	assert.deepEqual(judge([...LISTED, ...more]), [
		"a.ts is used by nothing but tests",
		"b.ts: one is used by nothing but tests",
		"b.ts: Two is used by nothing but tests",
		'b.ts: [{"name":"x"}] is used by nothing but tests',
	]);
});

test("code on the list that the product does use is named", () => {
	const [first = ""] = Object.keys(NOT_YET_USED.code);
	assert.deepEqual(judge(LISTED.slice(1)), [
		`${first} is used, or gone: take it off the list in test/support/not-yet-used.ts`,
	]);
});
