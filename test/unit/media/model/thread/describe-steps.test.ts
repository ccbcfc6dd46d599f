import assert from "node:assert/strict";
import { test } from "node:test";
import { setLanguage } from "../../../../../l10n/t.ts";
import { describeSteps } from "../../../../../media/model/thread/describe-steps.ts";
import { readTitles } from "../../../../../media/model/thread/thought-titles.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { aTranscript } from "./a-transcript.ts";

function aCall(name: string, args: object) {
	const json = JSON.stringify(args);
	return { kind: "toolCall", callId: "c", name, title: "", arguments: json, status: "completed" } as const;
}

function anEdit(...paths: readonly string[]) {
	const files = paths.map((path) => `*** Update File: ${path}\n-a\n+b\n+c`);
	return aCall("apply_patch", { patch: ["*** Begin Patch", ...files, "*** End Patch"].join("\n") });
}

function describe(...items: readonly Parameters<AThread["item"]>[0][]) {
	const thread = new AThread().turn();
	for (const item of items) thread.item(item);
	return describeSteps(aTranscript(thread).entries);
}

test("a group names its steps, edits first, and counts a file that was read twice once", () => {
	const reads = ["a.ts", "b.ts", "a.ts"].map((path) => aCall("read_file", { path }));
	const search = aCall("search_files", { pattern: "x" });
	const run = aCall("run_command", { command: "npm test" });
	assert.deepEqual(describe(...reads, search, search, run, anEdit("src/a.ts")), {
		words: "Edited src/a.ts, ran 1 command, read 2 files, searched 2 times",
		lines: { added: 2, removed: 1 },
	});
	assert.equal(describe(anEdit("a.ts", "b.ts"), anEdit("b.ts")).words, "Edited 2 files");
	assert.equal(
		describe(aCall("list_files", { path: "." }), aCall("anything", {})).words,
		"Listed 1 folder, 1 other step",
	);
	const found = aCall("find_server_tools", { query: "echo" });
	const called = [aCall("call_server_tool", { server: "docs", tool: "echo" }), aCall("mcp__docs__read", {})];
	assert.equal(describe(found, ...called).words, "Called 2 MCP tools, searched 1 time");
	const hook = { ...aCall("PreToolUse", {}), kind: "hook" } as const;
	assert.equal(describe(hook, aCall("read_file", { path: "a" }), hook).words, "Read 1 file, ran 2 hooks");
});

test("a sentence that begins with a file's name leaves the name as it is", (t) => {
	t.after(() => setLanguage("en", undefined));
	setLanguage("de", { "edited {0}": "{0} bearbeitet" });
	assert.equal(describe(anEdit("src/a.ts")).words, "src/a.ts bearbeitet");
});

test("a group of thoughts is named by their titles, or counted", () => {
	const thought = (text: string) => ({ kind: "reasoning", text }) as const;
	assert.equal(describe(thought("**Exploring**\n\nHm."), thought("Hm.")).words, "Exploring");
	assert.equal(describe(thought("Hm."), thought("Hm.")).words, "Thought 2 times");
	assert.equal(describe(aCall("update_plan", {}), aCall("update_plan", { steps: ["One"] })).words, "1 other step");
});

test("a title is a heading or an entirely bold line, and the three newest are kept in order", () => {
	assert.deepEqual(readTitles("**One**\ntext\n# Two\n**not** all\n**Three**  \n**Four**"), ["Two", "Three", "Four"]);
	assert.deepEqual(readTitles("**Half"), []);
	assert.deepEqual(readTitles(`**${"x".repeat(200)}**`), []);
});
