import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { insertMention, readMention } from "../../../../../media/model/attached/mention-text.ts";

test("a mention begins at an @ that begins a word, and ends at the caret", () => {
	assert.deepEqual(readMention("@", 1), { start: 0, query: "" });
	assert.deepEqual(readMention("see @src/a b", 10), { start: 4, query: "src/a" });
	assert.deepEqual(readMention("(@re", 4), { start: 1, query: "re" });
	assert.equal(readMention("me@example", 10), undefined);
	assert.equal(readMention("@a b", 4), undefined);
	assert.equal(readMention(`${"x".repeat(300)}@a`, 302), undefined);
});

test("a chosen mention replaces what was typed, and the caret is placed after it", () => {
	const at = { start: 4, query: "re" };
	assert.deepEqual(insertMention("see @re, please", at, "retry.ts"), { text: "see @retry.ts , please", caret: 14 });
	assert.deepEqual(insertMention("see @re please", at, "retry.ts"), { text: "see @retry.ts please", caret: 14 });
});

test("the text around a mention stays unchanged", () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), (before, after) => {
			const text = `${before} @q${after}`;
			const at = readMention(text, before.length + 3);
			assert.ok(at);
			const made = insertMention(text, at, "name").text;
			assert.ok(made.startsWith(`${before} @name`) && made.endsWith(after));
		}),
	);
});
