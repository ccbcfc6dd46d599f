import assert from "node:assert/strict";
import { test } from "node:test";
import { describeReread, describeServer, describeWindow } from "../../../../extension/commands/model/model-words.ts";

test("a window is named with where it is known from, a server with what it offers", () => {
	assert.equal(describeWindow({ window: 400_000, windowSource: "table" }), "400,000 tokens (built-in table)");
	const server = { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: ["a"] };
	assert.equal(describeServer(server), "127.0.0.1:11434, 1 model");
});

test("what would be read anew is said from one token past the limit on, and counts only what was sent before", () => {
	const item = { index: 0, kind: "k", role: "user", origin: "user", estimated: true, text: "" };
	const items = [
		{ ...item, tokens: 50_001, cached: true },
		{ ...item, tokens: 9, cached: false },
	];
	assert.equal(describeReread({ items }, 50_001), undefined);
	assert.equal(describeReread({ items }, 50_000), "Switching re-sends about 50,001 tokens without cache.");
});
