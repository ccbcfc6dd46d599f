import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { showExactly, showPath } from "../../../../../media/model/words/invisible.ts";

const PARTS = [
	"a",
	"\\",
	"\\u{D}",
	"u{D}",
	"\\u{A}",
	"\r",
	"\n",
	"\r\n",
	"\t",
	"\u202E",
	"\u200D",
	"👩",
	"\uFEFF",
	"{",
	"}",
];
const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => parts.join(""));

test("two commands, paths or URLs look alike only if they are equal", () => {
	fc.assert(
		fc.property(text, text, (one, other) => {
			for (const show of [showExactly, showPath]) assert.equal(show(one) === show(other), one === other);
		}),
		{ numRuns: 5_000 },
	);
});

test("no path in a list looks like two", () => {
	fc.assert(fc.property(text, (path) => assert.equal(showPath(path).includes("\n"), false)));
});
