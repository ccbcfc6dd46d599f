import assert from "node:assert/strict";
import { test } from "node:test";
import { matches } from "../../../agent-host/capabilities/hooks/match.ts";
import { parseHooks } from "../../../agent-host/capabilities/hooks/parse-hooks.ts";
import { joinEffects, readHookAnswer } from "../../../agent-host/capabilities/hooks/read-answer.ts";
import { describeToolInput } from "../../../agent-host/capabilities/hooks/write-input.ts";

const NEVER = { matcher: "", required: false };

test("hooks are read with and without matchers, and whatever else is there is named and left out", () => {
	const { hooks, problems } = parseHooks(
		{
			PreToolUse: [
				{ matcher: "Bash", hooks: [{ type: "command", command: "a", timeout: 5 }, { type: "prompt" }] },
				{ type: "command", command: "b", required: true },
			],
			SessionEnd: [{ hooks: [{ command: "c", timeout: 100 }] }],
			Stop: [{ hooks: [{ command: "d", timeout: 10_000 }] }, 5],
			Unheard: [],
		},
		"f",
	);
	assert.deepEqual(hooks, [
		{ ...NEVER, event: "PreToolUse", matcher: "Bash", command: "a", timeoutMs: 5_000 },
		{ ...NEVER, event: "PreToolUse", command: "b", timeoutMs: 60_000, required: true },
		{ ...NEVER, event: "SessionEnd", command: "c", timeoutMs: 1_000 },
		{ ...NEVER, event: "Stop", command: "d", timeoutMs: 600_000 },
	]);
	assert.deepEqual(problems, [
		"f: a hook of PreToolUse is not used; only commands are.",
		"f: a hook of Stop is not used; only commands are.",
		"f: the hooks of Unheard are not used; there is no such event.",
	]);
	assert.equal(parseHooks([], "f").problems.length, 1);
});

test("a matcher is a list of exact names or a regular expression, and knows other agents' names for our tools", () => {
	for (const [matcher, subject, expected] of [
		["", "read_file", true],
		["*", "read_file", true],
		["Bash", "run_command", true],
		["Edit|Write", "apply_patch", true],
		["Edit, Bash", "run_command", true],
		["Bas", "run_command", false],
		["run_.*", "run_command", true],
		["^mcp__", "mcp__fake__echo", true],
		["Read.*", "run_command", false],
		["(", "run_command", true],
		["(a+)+$", `mcp__x__${"a".repeat(50)}!`, true],
	] as const) {
		assert.equal(matches(matcher, subject), expected, matcher);
	}
});

test("exit codes and output mean what they mean for other agents, and nothing allows anything", () => {
	const read = (event: "PreToolUse" | "SessionStart", exitCode: number, stdout = "", stderr = "") =>
		readHookAnswer(event, { exitCode, stdout, stderr });
	assert.deepEqual(read("PreToolUse", 2, "x", "No.\n"), { block: "No." });
	assert.deepEqual(read("PreToolUse", 2), { block: "A hook blocked this without a reason." });
	assert.deepEqual(read("PreToolUse", 1, "", "x"), { failure: "It ended with exit code 1." });
	assert.deepEqual([read("SessionStart", 0, "Hi.\n"), read("PreToolUse", 0, "Hi.")], [{ context: "Hi." }, {}]);
	const json = (value: object) => read("PreToolUse", 0, JSON.stringify(value));
	assert.deepEqual(json({ decision: "block", reason: "R" }), { block: "R" });
	assert.deepEqual(json({ decision: "approve" }), {});
	assert.deepEqual(json({ continue: false, stopReason: "S", systemMessage: "M" }), { stop: "S", notice: "M" });
	const own = (value: object) => json({ hookSpecificOutput: value });
	assert.deepEqual(own({ permissionDecision: "allow", permissionDecisionReason: "x" }), {});
	assert.deepEqual(own({ permissionDecision: "deny", permissionDecisionReason: "x" }), { block: "x" });
	assert.deepEqual(own({ permissionDecision: "ask" }), { ask: "A hook wants you to decide." });
	assert.deepEqual(own({ decision: { behavior: "deny", message: "D" } }), { block: "D" });
	assert.deepEqual(own({ updatedInput: { a: 1 }, additionalContext: "C" }), { updatedInput: { a: 1 }, context: "C" });
	assert.ok("failure" in read("PreToolUse", 0, "{ broken"));
});

test("a hook's decision counts even if what it adds is missing, null or no text", () => {
	const read = (value: object) =>
		readHookAnswer("PreToolUse", { exitCode: 0, stdout: JSON.stringify(value), stderr: "" });
	const unnamed = "A hook blocked this without a reason.";
	assert.deepEqual(read({ decision: "block", reason: null, hookSpecificOutput: null }), { block: unnamed });
	assert.deepEqual(read({ continue: false, stopReason: null, decision: null }), { stop: "A hook ended the turn." });
	const own = { permissionDecision: "deny", permissionDecisionReason: "No.", updatedInput: null, decision: null };
	assert.deepEqual(read({ continue: null, hookSpecificOutput: own }), { block: "No." });
	assert.deepEqual(read({ systemMessage: 5, hookSpecificOutput: { ...own, additionalContext: ["a"] } }), {
		block: "No.",
	});
	assert.ok("failure" in read({ hookSpecificOutput: { updatedInput: "ls" } }), "the call is not what it wanted");
});

test("the strictest of several hooks wins, and the text of all of them is kept", () => {
	assert.deepEqual(joinEffects([{ context: "a" }, { block: "b" }, { ask: "c" }, { context: "d", block: "e" }]), {
		block: "b\ne",
		ask: "c",
		context: "a\nd",
	});
	assert.deepEqual(joinEffects([{}, { failure: "x" }]), {});
});

test("a command is one text for hooks, and an edit of one file names it", () => {
	assert.deepEqual(describeToolInput("run_command", '{"command":["ls","-l"]}'), { command: "ls -l" });
	const patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n";
	assert.deepEqual(describeToolInput("apply_patch", JSON.stringify({ patch })), { patch, file_path: "a.txt" });
	assert.deepEqual(describeToolInput("apply_patch", patch), { patch, file_path: "a.txt" });
});
