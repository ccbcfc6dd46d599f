import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_RUNS, readAnsi, stripAnsi } from "../../../../../media/model/thread/ansi.ts";

/** Runs as `text` or `text {looks}`, which reads better than objects. */
function drawn(output: string): string[] {
	return readAnsi(output).map(({ text, looks }) => (looks.length === 0 ? text : `${text} {${looks.join(" ")}}`));
}

test("a terminal's colours and marks become styles until they are switched off", () => {
	assert.deepEqual(drawn("a\x1B[31mb\x1B[1mc\x1B[22md\x1B[39me\x1B[1;4;92mf\x1B[0mg"), [
		"a",
		"b {red}",
		"c {red bold}",
		"d {red}",
		"e",
		"f {green bold underline}",
		"g",
	]);
	assert.deepEqual(drawn("\x1B[38;5;196ma\x1B[38;5;9mb\x1B[38;5;244mc\x1B[38;2;0;0;255md\x1B[48;5;1me"), [
		"ab {red}",
		"c",
		"de {blue}",
	]);
});

test("nothing else that a terminal obeys is left in the text", () => {
	const hostile = {
		link: "\x1B]8;;https://evil.invalid\x07text\x1B]8;;\x07",
		clipboard: "\x1B]52;c;ZXZpbA==\x1B\\text",
		title: "\x1B]0;evil\x9Ctext",
		question: '\x1BP$q"p\x1B\\text',
		movement: "\x1B[2J\x1B[1;1H\x1B[Ktext",
		c1: "\x9B31mtext\x9B0m\x84",
		charset: "\x1B(0text\x1B(B\x0E",
		bell: "te\x07xt",
	};
	for (const [name, output] of Object.entries(hostile)) assert.equal(stripAnsi(output), "text", name);
	assert.equal(stripAnsi("a\x1B]0;never\nends\x90here"), "a0;never\nendshere", "nothing is hidden by what has no end");
});

test("any output keeps its printable text and loses every escape", () => {
	const piece = fc.oneof(
		fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "日") }),
		fc.constantFrom("\x1B[31m", "\x1B[0m", "\x1B[2K", "\x1B]0;t\x07", "\x1B(B", "\n"),
	);
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			const text = pieces.filter((part) => !part.startsWith("\x1B")).join("");
			assert.equal(stripAnsi(pieces.join("")), text);
			assert.equal(
				readAnsi(pieces.join(""))
					.map((run) => run.text)
					.join(""),
				text,
			);
		}),
	);
	const isObeyed = (character: string): boolean => character === "\x1B" || (character >= "\x80" && character <= "\x9F");
	fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.ok(![...stripAnsi(text)].some(isObeyed))));
});

test("a line that overwrites itself shows its final text", () => {
	assert.equal(stripAnsi("10%\r50%\r100%\ndone\r\nnext\r"), "100%\ndone\nnext");
});

test("output with countless colours becomes a bounded number of runs", () => {
	const runs = readAnsi("\x1B[31ma\x1B[32mb".repeat(MAX_RUNS));
	assert.equal(runs.length, MAX_RUNS);
	assert.equal(runs.map((run) => run.text).join("").length, 2 * MAX_RUNS);
});
