import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAgent } from "../../../agent-host/capabilities/agents/parse-agent.ts";

const file = (front: string, body = "Check it.") => `---\n${front}\n---\n${body}\n`;

test("the two common formats of agent files are read, with tools under our names", () => {
	const first = file(
		"name: test-runner\ndescription: Runs tests.\ntools: Read, Grep, Bash\nmodel: gpt-5-mini\neffort: low\nmaxTurns: 7",
	);
	assert.deepEqual(parseAgent(first, "other"), {
		name: "test-runner",
		about: "Runs tests.",
		instructions: "Check it.",
		tools: ["read_file", "run_command", "search_files", "stop_command", "view_image", "write_command_input"],
		unknownTools: [],
		model: "gpt-5-mini",
		effort: "low",
		maxTurns: 7,
	});
	const second = file("description: Plans.\ntools: ['search', 'edit', 'agent', 'githubRepo']\nmodel: GPT-5 (copilot)");
	assert.deepEqual(parseAgent(second, "Plan_It"), {
		name: "plan-it",
		about: "Plans.",
		instructions: "Check it.",
		tools: ["apply_patch", "list_files", "search_files", "start_agent", "stop_agent", "wait_agents"],
		unknownTools: ["githubRepo"],
	});
});

test("an agent file that names no tools has all of its parent's, less those it excludes", () => {
	const read = (front: string) => {
		const parsed = parseAgent(file(`description: D.\n${front}`), "a");
		return typeof parsed === "string" ? assert.fail(parsed) : parsed;
	};
	assert.equal(read("model: inherit").tools, undefined);
	assert.equal(read("model: sonnet").model, undefined);
	const without = read("disallowedTools: Bash(rm *), Write").tools ?? [];
	assert.deepEqual(
		["read_file", "apply_patch", "run_command"].map((name) => without.includes(name)),
		[true, false, false],
	);
	assert.deepEqual(read("tools: []").tools, []);
	assert.ok(read('tools: ["*"]').tools?.includes("run_command"));
});

test("a tool that is limited to some arguments is left out and named, never widened", () => {
	const parsed = parseAgent(file("description: D.\ntools: Bash(git status:*), Read"), "a");
	assert.ok(typeof parsed !== "string");
	assert.deepEqual([parsed.tools, parsed.unknownTools], [["read_file", "view_image"], ["Bash(git status:*)"]]);
});

test("a file without a description, with a name that is built in, or with too much text is not used, and says why", () => {
	assert.match(String(parseAgent(file("name: a"), "a")), /^it has no description$/);
	assert.match(String(parseAgent(file("name: review\ndescription: D."), "a")), /^review is a role that is built in$/);
	assert.match(String(parseAgent(file("name: ../x\ndescription: D."), "a")), /^its name must have/);
	assert.match(String(parseAgent(file("description: D.", "x".repeat(10_001)), "a")), /more than 10000 characters$/);
	assert.match(String(parseAgent("No front matter.", "a")), /^it has no description$/);
});
