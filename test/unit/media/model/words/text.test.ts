import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf } from "../../../../../l10n/t.ts";
import { countLines, cutHead, describeDuration } from "../../../../../media/model/words/text.ts";

test("lines are counted as an editor counts them", () => {
	assert.deepEqual(["", "a", "a\n", "a\nb", "\n", "\n\n"].map(countLines), [0, 1, 1, 2, 1, 2]);
});

test("counts read as words", () => {
	assert.deepEqual(
		[1, 0, 1_200].map((count) => countOf(count, "{0} line", "{0} lines")),
		["1 line", "0 lines", "1,200 lines"],
	);
});

test("the head of a text ends at a limit of lines or characters, and a short text is its own head", () => {
	const limit = { lines: 2, chars: 10 };
	assert.deepEqual(
		["a\nb\nc", "a\nb", "a".repeat(20), "a\n".repeat(5), "", `${"a".repeat(20)}\nb\nc`].map((text) =>
			cutHead(text, limit),
		),
		["a\nb", "a\nb", "a".repeat(10), "a\na", "", "a".repeat(10)],
	);
});

test("durations are short and correct", () => {
	assert.deepEqual([0, 420, 4_100, 12_400, 61_000, 7_500_000].map(describeDuration), [
		"0.0 s",
		"0.4 s",
		"4.1 s",
		"12 s",
		"1 min 1 s",
		"2 h 5 min",
	]);
});
