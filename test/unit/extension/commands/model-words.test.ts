import assert from "node:assert/strict";
import { test } from "node:test";
import {
	describeCut,
	describeReread,
	describeServer,
	describeWindow,
} from "../../../../extension/commands/model/model-words.ts";

test("a context window is shown with its source, and a server with the number of its models", () => {
	assert.equal(describeWindow({ window: 400_000, windowSource: "table" }), "400,000 tokens (built-in table)");
	const server = { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: ["a"] };
	assert.equal(describeServer(server), "127.0.0.1:11434, 1 model");
});

test("beside a list that may have been cut it says so", () => {
	assert.equal(describeCut(999), undefined);
	assert.equal(describeCut(1_000), "only the first 1,000 models are listed");
});

test("the warning about a reread starts one token above the limit and counts only tokens sent before", () => {
	const item = { index: 0, kind: "k", role: "user", origin: "user", estimated: true, text: "" };
	const items = [
		{ ...item, tokens: 50_001, cached: true },
		{ ...item, tokens: 9, cached: false },
	];
	assert.equal(describeReread({ items }, 50_001), undefined);
	assert.equal(describeReread({ items }, 50_000), "Switching re-sends about 50,001 tokens without cache.");
});
