import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { colourCode } from "../../../../../media/later/languages.ts";
import {
	highlight,
	MAX_HIGHLIGHTED_CHARS,
	MAX_HIGHLIGHTED_LINES,
} from "../../../../../media/view/markdown/highlight.ts";
import { toElement } from "../../../../../media/view/markdown/to-element.ts";
import { type Plain, toPlain } from "./a-vnode.ts";

const LANGUAGES =
	"ts js json css html xml python rust go java c cpp bash sh yaml markdown diff sql tsx jsx py rs yml md".split(" ");

function colour(code: string, language: string) {
	return colourCode(code, language)?.map(toElement);
}

function textOf(nodes: readonly Plain[]): string {
	return nodes.map((node) => (typeof node === "string" ? node : textOf(node.slice(2) as Plain[]))).join("");
}

test("keywords, strings, numbers and comments get the class of their colour", () => {
	assert.deepEqual(toPlain(colour('const a = "b" + 1; // c', "ts")), [
		["span", { class: "hl-keyword" }, "const"],
		" a = ",
		["span", { class: "hl-string" }, '"b"'],
		" + ",
		["span", { class: "hl-number" }, "1"],
		"; ",
		["span", { class: "hl-comment" }, "// c"],
	]);
});

test("languages inside of languages are coloured too", () => {
	assert.deepEqual(toPlain(colour("<script>let a</script>", "html")), [
		"<",
		["span", { class: "hl-keyword" }, "script"],
		">",
		["span", { class: "hl-keyword" }, "let"],
		" a</",
		["span", { class: "hl-keyword" }, "script"],
		">",
	]);
});

test("colouring never changes a character of the code, in any language", () => {
	const piece = fc.constantFrom(
		"if (a < b) {",
		"}",
		"\n",
		"\t",
		'"str',
		"'",
		"`${",
		"// x",
		"# y",
		"<tag a='b'>",
		"&amp;",
		"1.5e3",
	);
	fc.assert(
		fc.property(fc.array(fc.oneof(piece, fc.string())), fc.constantFrom(...LANGUAGES), (pieces, language) => {
			const code = pieces.join(" ");
			assert.equal(textOf(toPlain(colour(code, language))), code);
		}),
		{ numRuns: 500 },
	);
});

test("each language that is promised is known", () => {
	assert.deepEqual(
		LANGUAGES.filter((language) => colourCode("x", language) === undefined),
		[],
	);
});

test("code that is too long, or in an unknown language, stays one text", () => {
	const codes = ["a ".repeat(MAX_HIGHLIGHTED_CHARS), "a\n".repeat(MAX_HIGHLIGHTED_LINES + 1)];
	assert.deepEqual(
		codes.map((code) => highlight(code, "ts")),
		codes,
	);
	assert.equal(highlight("const a", "klingon"), "const a");
});
