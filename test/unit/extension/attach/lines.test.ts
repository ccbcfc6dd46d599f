import assert from "node:assert/strict";
import { test } from "node:test";
import {
	cutText,
	fittingLines,
	joinLines,
	lastText,
	MAX_TEXT_CHARS,
	rangeLabel,
} from "../../../../extension/attach/lines.ts";

test("a chip names the lines that fit, and exactly those are sent", () => {
	const line = "x".repeat(999);
	const lines = fittingLines(() => line, { from: 5, to: 500 });
	assert.deepEqual(lines, { from: 5, to: 24 });
	assert.equal(rangeLabel("a.ts", lines), "a.ts:5-24");
	assert.equal(joinLines(() => line, lines).split("\n").length, 20);
	assert.deepEqual(
		fittingLines(() => line, { from: 5, to: 7 }),
		{ from: 5, to: 7 },
	);
});

test("a single line that is too long is cut, and says so", () => {
	const lines = fittingLines(() => "x".repeat(MAX_TEXT_CHARS + 7), { from: 1, to: 2 });
	assert.equal(rangeLabel("a.ts", lines), "a.ts:1");
	assert.match(cutText("x".repeat(MAX_TEXT_CHARS + 7)), /x\n\[cut off: 7 more characters\]$/);
});

test("a long terminal is cut to its end, with a note, and never exceeds the limit", () => {
	assert.equal(lastText("$ ls\na.ts\n\n\n"), "$ ls\na.ts");
	const long = lastText(`${"x".repeat(MAX_TEXT_CHARS)}the end\n`);
	assert.match(long, /^\[cut off: \d+ characters before this\]\nx+the end$/);
	assert.equal(cutText(long), long);
});
