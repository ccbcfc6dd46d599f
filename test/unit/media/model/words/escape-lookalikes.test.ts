import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { quoteWord } from "../../../../../l10n/quote-word.ts";
import { escapeLookalikes, escapeName, MAX_PIECES } from "../../../../../media/model/words/escape-lookalikes.ts";

/** Reads the original text back from its spelling alone. */
function readBack(spelled: string): string {
	return spelled
		.replaceAll("↵\n", "\n")
		.replace(/\\u\{([0-9A-F]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

const TRICKS = ["\u202E", "\u200B", "\u{E0041}", "\u0301", "\r", "\n", "\t", "\u00A0", "\u2028", "\uD800", "\x1B[2K"];

const LOOKALIKES = ["ѕ", "о", "ｅ", "ニ", "二", "é", "e\u0301", "\\u{202E}", "\\", "↵", "u{5C}"];

const anyText = fc.oneof(
	fc.string({ unit: "binary" }),
	fc
		.array(fc.oneof(fc.constantFrom(...TRICKS, ...LOOKALIKES), fc.string({ maxLength: 3 })))
		.map((parts) => parts.join("")),
);

test("every text can be read back from its spelling, so no two texts are spelled alike", () => {
	fc.assert(
		fc.property(anyText, (text) => {
			const spelled = escapeLookalikes(text)
				.map((piece) => piece.text)
				.join("");
			assert.equal(readBack(spelled), text);
		}),
		{ numRuns: 1_000 },
	);
});

test("no two names look alike among other words, whatever spaces they contain", () => {
	const spaced = fc
		.array(
			fc.oneof(fc.constantFrom(" ", "  ", "a", "\\u{20}", "\n", ...TRICKS, ...LOOKALIKES), fc.string({ maxLength: 2 })),
		)
		.map((parts) => parts.join(""));
	fc.assert(
		fc.property(spaced, (name) => {
			const spelled = escapeName(name)
				.map((piece) => piece.text)
				.join("");
			assert.equal(readBack(spelled), name);
			// As a browser lays words out: spaces are one, and none at the edges.
			const laidOut = spelled.replaceAll(/[ \n]+/g, (blanks) => (blanks.includes("\n") ? "\n" : " ")).trim();
			assert.equal(readBack(spelled.endsWith("\n") ? `${laidOut}\n` : laidOut), name);
		}),
		{ numRuns: 1_000 },
	);
});

test("invisible characters are spelled out, deceptive ones are marked, and all others stay unchanged", () => {
	assert.deepEqual(escapeLookalikes("ѕudо rm\u202E größe 日\t\\u{9}\n"), [
		{ kind: "foreign", text: "ѕ" },
		{ kind: "plain", text: "ud" },
		{ kind: "foreign", text: "о" },
		{ kind: "plain", text: " rm" },
		{ kind: "escape", text: "\\u{202E}" },
		{ kind: "plain", text: " größe 日" },
		{ kind: "escape", text: "\\u{9}\\u{5C}" },
		{ kind: "plain", text: "u{9}↵\n" },
	]);
});

test("a text of countless tricks is still spelled whole, in one piece", () => {
	const text = "a\u200Bѕ".repeat(MAX_PIECES);
	const pieces = escapeLookalikes(text);
	assert.equal(pieces.length, 1);
	assert.equal(pieces[0]?.text, "a\\u{200B}\\u{455}".repeat(MAX_PIECES));
});

test("arguments are quoted so that their boundaries are visible", () => {
	const words = fc.array(fc.string({ unit: "binary" }));
	fc.assert(
		fc.property(words, words, (left, right) => {
			const same = left.length === right.length && left.every((word, index) => word === right[index]);
			assert.equal(left.map(quoteWord).join(" ") === right.map(quoteWord).join(" "), same);
		}),
		{ numRuns: 300 },
	);
	assert.equal(["rm", "-rf", "a b", "it's", ""].map(quoteWord).join(" "), "rm -rf 'a b' 'it'\\''s' ''");
});
