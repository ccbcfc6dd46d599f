import assert from "node:assert/strict";
import { test } from "node:test";
import { findPosition } from "../../../agent-host/tools/find-position.ts";

const TEXT = ["const parse = parser;", "\tif (a)  parse(b);", "parse(b); // again", "end"].join("\r\n");

test("a symbol is found by the number or the text of its line, in whatever spacing", () => {
	const found = { ok: true, line: 1, character: 9 };
	assert.deepEqual(findPosition(TEXT, "parse", "2"), found);
	assert.deepEqual(findPosition(TEXT, "parse", "2:"), found);
	assert.deepEqual(findPosition(TEXT, "parse", "if (a) parse(b);"), found);
	assert.deepEqual(findPosition(TEXT, "Reader.parse", "if (a)"), found, "the last part of a path of names counts");
});

test("a part of a longer name is not the symbol", () => {
	assert.deepEqual(findPosition("parser; parse", "parse", undefined), { ok: true, line: 0, character: 8 });
	assert.deepEqual(findPosition("$parse; _parse; parsé", "parse", undefined), {
		ok: false,
		reason: "parse does not occur in this file.",
	});
});

test("an ambiguous position is answered with the possible ones, never guessed", () => {
	const all = "1: const parse = parser;\n2: if (a)  parse(b);\n3: parse(b); // again";
	assert.deepEqual(findPosition(TEXT, "parse", undefined), {
		ok: false,
		reason: `parse occurs in several lines. Give line as one of:\n${all}`,
	});
	assert.deepEqual(findPosition(TEXT, "parse", "4"), {
		ok: false,
		reason: `parse is not in that line. Give line as one of:\n${all}`,
	});
	assert.deepEqual(findPosition(TEXT, "parse", "parse(b)"), {
		ok: false,
		reason: "parse is in several such lines. Give line as one of:\n2: if (a)  parse(b);\n3: parse(b); // again",
	});
	const many = findPosition("x\n".repeat(15), "x", undefined);
	assert.match(many.ok ? "" : many.reason, /\n10: x\nand 5 more$/);
});
