import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	type Block,
	NOTHING_SPLIT,
	type Split,
	splitBlocks,
	splitWhole,
} from "../../../../../media/model/markdown/blocks.ts";
import { renderBlock } from "../../../../../media/view/markdown/markdown.ts";
import { toPlain } from "../../view/markdown/a-vnode.ts";

const RUNS = process.env.VITRINE_FULL === "1" ? 5_000 : 150;

/** Lines that mean something else depending on what stands before or after them. */
const LINES = [
	"$$",
	"$$ \\frac{a}{b}",
	"x = 1 $$",
	"\\[",
	"\\[ a \\]",
	"\\]",
	"",
	"",
	"plain words",
	"===",
	"---",
	"-",
	"- item",
	"  continued",
	"1. first",
	"> quote",
	"```",
	"~~~",
	"    indented",
	"\tconst tabbed = 1;",
	"| a | b |",
	"| --- | :-: |",
	"[docs]: https://example.com/docs",
	'"title begins',
	'ends"',
	"  ",
	"\\",
];

/** Pieces as a model writes them, and traps for a parser that believes a block has ended. */
const PIECES = [
	"A paragraph with `code`, **bold** and [a link](https://example.com).\nSecond line.\n\n",
	"# Heading\n\ntext under it\n\n",
	"Set as heading\nover two lines\n===\n",
	"- one\n- two\n  - nested\n\n  a paragraph of item two\n\n- three\n\n",
	"1. first\n\n   ```sh\n   npm test\n   ```\n\n2. second\n",
	"- [ ] open task\n- [x] done task\n\n",
	"```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n",
	"~~~\nfence that is\n\nnever closed\n",
	"| a | b |\n| --- | :-: |\n| 1 | 2 |\n| 3 |\n\n",
	"words before a table\n| a | b |\n|---|---|\n| 1 | 2 |\n",
	"> quoted\nlazily continued\n>\n> - list in a quote\n\n",
	"    indented\n\n    still the same block\n\n",
	"[docs]: https://example.com/docs\n'title over\nthree\nlines'\n\n",
	'- [listed]: https://example.com/listed\n"title outside\nof the list"\n',
	'> [quoted]: https://example.com/quoted\n"title outside\nof the quote"\n',
	"[half\nlabel]: https://example.com/half\n",
	"see [docs], [listed], [quoted] and [half label]\n\n",
	"<div>\n\n</div>\n",
];

const line = fc.constantFrom(...LINES).map((text) => `${text}\n`);
const lineEnd = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");
const markdown = fc
	.tuple(fc.array(fc.oneof(line, fc.constantFrom(...PIECES)), { maxLength: 12, size: "max" }), lineEnd)
	.map(([pieces, end]) => pieces.join("").replaceAll("\n", end));

/** Sizes of the chunks, used over and over. One character at a time sees every moment of a text. */
const cuts = fc.oneof(fc.constant([1]), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }));

/** The text as it grows, one prefix a piece. */
function* prefixes(text: string, sizes: readonly number[]): Generator<string> {
	let end = 0;
	for (let index = 0; end < text.length; index++) {
		end += sizes[index % sizes.length] ?? 1;
		yield text.slice(0, end);
	}
}

function splitInPieces(text: string, sizes: readonly number[]): Split {
	let split = NOTHING_SPLIT;
	for (const prefix of prefixes(text, sizes)) split = splitBlocks(prefix, split);
	return splitWhole(text, split);
}

function drawAll(blocks: readonly Block[], references: Split["references"]) {
	return blocks.flatMap((block) => toPlain(renderBlock(block, references)));
}

test("a text that arrived in pieces has the same blocks as one that arrived whole", () => {
	fc.assert(
		fc.property(markdown, cuts, (text, sizes) => {
			assert.deepEqual(splitInPieces(text, sizes), splitWhole(text, NOTHING_SPLIT));
		}),
		{ numRuns: RUNS },
	);
});

test("blocks drawn one by one equal the parser's output for the whole text", () => {
	fc.assert(
		fc.property(markdown, (text) => {
			const split = splitWhole(text, NOTHING_SPLIT);
			const whole = drawAll([{ source: text, finished: true }], {});
			assert.deepEqual(drawAll(split.finished, split.references), whole);
		}),
		{ numRuns: RUNS },
	);
});

test("a finished block stays the same object while the text grows", () => {
	fc.assert(
		fc.property(markdown, cuts, (text, sizes) => {
			let split = NOTHING_SPLIT;
			for (const prefix of prefixes(text, sizes)) {
				const next = splitBlocks(prefix, split);
				assert.ok(split.finished.every((block, index) => block === next.finished[index]));
				split = next;
			}
		}),
		{ numRuns: RUNS },
	);
});

test("a block that can still change is open: a list, a table, a quote, a fence, a paragraph", () => {
	const texts = ["- a\n\n", "| a |\n| - |\n", "> a\n\n", "```ts\na\n\n", "a\n", "    a\n\n", "[a]: https://a.b\n\n"];
	assert.deepEqual(
		texts.map((text) => splitBlocks(text, NOTHING_SPLIT).finished),
		texts.map(() => []),
	);
});

test("a block is finished as soon as nothing can change it", () => {
	assert.deepEqual(
		["a\n\n", "# a\n\n", "| a |\n| - |\n\n", "```ts\na\n```\n\n", "- a\n\nb\n"].map(
			(text) => splitBlocks(text, NOTHING_SPLIT).finished,
		),
		["a\n", "# a\n", "| a |\n| - |\n", "```ts\na\n```\n", "- a\n\n"].map((source) => [{ source, finished: true }]),
	);
});

test("text that does not continue the previous one is split from scratch", () => {
	const before = splitBlocks("one\n\ntwo", NOTHING_SPLIT);
	assert.deepEqual(splitBlocks("other\n\ntwo", before), splitBlocks("other\n\ntwo", NOTHING_SPLIT));
});
