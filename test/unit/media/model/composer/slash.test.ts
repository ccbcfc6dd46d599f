import assert from "node:assert/strict";
import { test } from "node:test";
import { readSlash, SLASH_COMMANDS, suggestCommands } from "../../../../../media/model/composer/slash.ts";

test("a command is never text for the model, and a text never a command", () => {
	assert.deepEqual(readSlash("/compact"), { kind: "compact", options: {} });
	assert.deepEqual(readSlash("/compact the parser\nand its tests "), {
		kind: "compact",
		options: { focus: "the parser\nand its tests" },
	});
	assert.deepEqual(readSlash("/model "), { kind: "run", command: "changeModel" });
	for (const text of ["", "hello /compact", " /compact", "/usr/bin is full", "/Compact", "/", "//compact"]) {
		assert.deepEqual(readSlash(text), { kind: "text" }, text);
	}
	for (const text of ["/compat", "/constructor", "/model gpt", `/compact ${"x".repeat(4_001)}`]) {
		assert.equal(readSlash(text).kind, "refused", text.slice(0, 20));
	}
});

test("every command that is offered is one, and typing narrows the offer", () => {
	for (const { name } of SLASH_COMMANDS) assert.match(readSlash(`/${name}`).kind, /^(?:run|compact)$/);
	assert.equal(suggestCommands("/").length, SLASH_COMMANDS.length);
	assert.deepEqual(
		suggestCommands("/co").map(({ name }) => name),
		["compact", "context"],
	);
	assert.deepEqual([suggestCommands("/compact "), suggestCommands("hello"), suggestCommands("")], [[], [], []]);
});
