import assert from "node:assert/strict";
import { test } from "node:test";
import { followLine, writeGoPrompt, writeRevisePrompt } from "../../../../extension/plan/plan-prompt.ts";

const TEXT = `# Plan\n1. [ ] one\n2. [ ] ${"long ".repeat(40)}\n`;

test("the prompt is the edited plan, with each comment beside its line, in line order", () => {
	const comments = [
		{ line: 2, text: "Shorter, please" },
		{ line: 1, text: "First of all" },
	];
	const prompt = writeGoPrompt({ text: TEXT, comments });
	assert.match(prompt, /^Carry out this plan.*\n\n# Plan\n1\. \[ \] one\n2\. /);
	assert.ok(prompt.includes(TEXT.trim()));
	const [, ...lines] = prompt.slice(prompt.indexOf("My comments")).split("\n");
	assert.equal(lines[0], "- Line 2, “1. [ ] one”: First of all");
	assert.match(lines[1] ?? "", /^- Line 3, “2\. \[ \] long [a-z ]{1,80}…”: Shorter, please$/);
	assert.doesNotMatch(writeRevisePrompt({ text: TEXT, comments: [] }), /comments/);
});

test("a comment stays with its line while lines are added and removed around it", () => {
	const insertedAbove = { start: 0, end: 0, endColumn: 3, breaks: 2 };
	const removedAbove = { start: 1, end: 3, endColumn: 0, breaks: 0 };
	const brokenAtItsStart = { start: 5, end: 5, endColumn: 0, breaks: 1 };
	const typedInIt = { start: 5, end: 5, endColumn: 4, breaks: 0 };
	const below = { start: 6, end: 9, endColumn: 1, breaks: 0 };
	const around = { start: 4, end: 8, endColumn: 2, breaks: 0 };
	const lines = [insertedAbove, removedAbove, brokenAtItsStart, typedInIt, below, around].map((change) =>
		followLine(5, change),
	);
	assert.deepEqual(lines, [7, 3, 6, 5, 5, 4]);
});
