import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTextSearch } from "../../../agent-host/patch/search-text.ts";
import { listLines, splitText, type TextFile } from "../../../agent-host/patch/text-file.ts";

const LINE = fc.constantFrom("", "a", "b", "ab", " a", "é");

function read(text: string): TextFile {
	const file = splitText(text);
	assert(!("refusal" in file));
	return file;
}

/** As a reader would look for it: line by line. */
function lookFor(lines: readonly string[], block: readonly string[], first: number): number | undefined {
	const at = lines.findIndex((_, index) => index >= first && block.every((line, i) => lines[index + i] === line));
	return at < 0 ? undefined : at;
}

test("a block is found where reading line by line finds it first, in a file with one kind of line end", () => {
	const aCase = fc.record({
		lines: fc.array(LINE, { maxLength: 12 }),
		end: fc.constantFrom("\n", "\r\n", "\r"),
		isEnded: fc.boolean(),
		block: fc.array(LINE, { minLength: 1, maxLength: 3 }),
		first: fc.nat(12),
	});
	fc.assert(
		fc.property(aCase, ({ lines, end, isEnded, block, first }) => {
			const file = read(lines.join(end) + (isEnded ? end : ""));
			const found = createTextSearch(file)(block, first);
			const there = lookFor(listLines(file), block, first);
			// In a file this short, a block that comes late may be left to the other ways of looking.
			if (found !== undefined || file.text.length > 40) assert.equal(found, there);
		}),
		{ numRuns: 2_000 },
	);
});

test("a file with several kinds of line ends is not searched", () => {
	for (const text of ["a\nb\r\nc\n", "a\r\nb\n", "a\rb\r\nc\r", "a\n\rb\n"]) {
		assert.equal(createTextSearch(read(text))(["b"], 0), undefined, JSON.stringify(text));
	}
});

test("blocks are found one after the other until one is missing", () => {
	const search = createTextSearch(read(`${Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n")}\n`));
	assert.equal(search(["line 7", "line 8"], 0), 7);
	assert.equal(search(["line 99"], 9), 99);
	assert.equal(search(["line 99", ""], 9), undefined);
	assert.equal(search(["line 7"], 0), undefined);
});

test("the lines of a file, whatever its line ends, are what a regular expression splits it into", () => {
	const piece = fc.constantFrom("", "a", "é b", "\n", "\r", "\r\n");
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			const text = pieces.join("");
			const lines = text.split(/\r\n|\n|\r/);
			assert.deepEqual(listLines(read(text)), lines.at(-1) === "" ? lines.slice(0, -1) : lines, JSON.stringify(text));
		}),
	);
});
