import assert from "node:assert/strict";
import { test } from "node:test";
import { lintTexts } from "../../../agent-host/workspace/instructions/lint-texts.ts";

function findIn(...texts: readonly string[]): readonly string[] {
	const files = texts.map((text, index) => ({ path: `/${index}`, text }));
	return lintTexts(files).map(
		({ kind, places }) => `${kind} ${places.map(({ path, line }) => `${path}:${line}`).join(" ")}`,
	);
}

test("lines that differ only in decoration are duplicates, even across files", () => {
	assert.deepEqual(findIn("# Rules\n- Run `npm test` first.", "1. **Run npm test** first!"), ["duplicate /0:2 /1:1"]);
	assert.deepEqual(findIn("# Same heading\nYes", "# Same heading\nYes"), [], "headings and single words are not");
	assert.deepEqual(findIn("```\nnpm run build\n```", "~~~\nnpm run build\n~~~"), [], "nor is code");
});

test("a demand and its prohibition contradict each other, however they are worded", () => {
	for (const [one, other] of [
		["Always use default exports.", "Never use default exports"],
		["Use default exports", "Please don't use default exports."],
		["You must commit changes", "Do not commit changes"],
		["Prefer using mocks", "Avoid using mocks."],
	] as const) {
		assert.deepEqual(findIn(one, other), ["contradiction /0:1 /1:1"], `${one} | ${other}`);
	}
	assert.deepEqual(findIn("Use tabs for Go.", "Never use tables."), []);
});

test("two of several known alternatives contradict each other, unless one is forbidden", () => {
	assert.deepEqual(findIn("- Use tabs.", "- Always use spaces for indentation."), ["contradiction /0:1 /1:1"]);
	assert.deepEqual(findIn("- Use pnpm.", "- Never use npm."), []);
});
