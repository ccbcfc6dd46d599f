import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits, markProgress, readSteps, toPlanDocument } from "../../../../extension/plan/plan-text.ts";

const ANSWER = `I looked at both files.

## Risks
1. It may be slow.

## Steps
1. Read \`a.ts\`
   - only the parser
2. Change the **parser** in a.ts

   \`\`\`
   1. not a step
   \`\`\`
3) Run the tests
- a remark
`;

test("the steps of a plan are its longest numbered list, each gets a box, and nothing else changes", () => {
	const document = toPlanDocument(ANSWER) ?? "";
	assert.deepEqual(
		document.split("\n").filter((line, index) => line !== ANSWER.split("\n")[index]),
		["1. [ ] Read `a.ts`", "2. [ ] Change the **parser** in a.ts", "3) [ ] Run the tests"],
	);
	assert.equal(toPlanDocument(document), document);
});

test("an answer without a list of steps is no plan", () => {
	for (const answer of ["Done.", "1. Only one thing", "- a\n- b", "```\n1. a\n2. b\n```", "# 1\n1. a\n# 2\n1. b"]) {
		assert.equal(toPlanDocument(answer), undefined, answer);
	}
});

test("options to choose from are a question, not a plan", () => {
	const options = [
		"1. do A or\n2. do B?",
		"I can:\n1. do A, or\n2. do B",
		"1. do A\n2. or do B instead",
		"1. Keep the parser\n2. Replace it\n\nWhich one do you prefer?",
		"How should I store it?\n\n1. In a file\n2. In memory\n3. Not at all",
		"**Which option?**\n1. A\n2. B\n",
		"1. 保留\n2. 替换\n\n您更喜欢哪一个？",
		"1. Behalten\n2. Ersetzen\n\nWelche Option?",
	];
	for (const answer of options) assert.equal(toPlanDocument(answer), undefined, answer);
});

test("a plan with a question in it or at its end is still a plan", () => {
	const plans = [
		"1. Read a.ts\n2. Change it\n\nShall I go ahead?",
		"What is it about? The parser is slow.\n\n1. Measure it or find a trace\n2. Change it",
		"1. Read a.ts\n   Is it used?\n2. Change it",
		"1. [ ] Decide which file?\n2. [ ] Change it or not?",
		"Which file? See below.\n\n## Plan\n1. Read\n2. Write",
	];
	for (const answer of plans) assert.notEqual(toPlanDocument(answer), undefined, answer);
});

test("progress is matched by a step's words, its beginning or its position, and the user's edits stay", () => {
	const document = (toPlanDocument(ANSWER) ?? "").replace("Run the tests", "Run the tests twice, as I said");
	const marked = (texts: readonly string[]): readonly string[] => {
		const reported = texts.map((text, index) => ({
			text,
			status: (["done", "running", "pending"] as const)[index] ?? "pending",
		}));
		const now = applyEdits(document, markProgress(document, reported));
		return readSteps(now).map(({ box, text }) => box + text);
	};
	const expected = ["[x] Read `a.ts`", "[-] Change the **parser** in a.ts", "[ ] Run the tests twice, as I said"];
	assert.deepEqual(marked(["read a.ts", "Change the parser in a.ts", "Run the tests"]), expected);
	assert.deepEqual(marked(["Look", "Change", "Check"]), expected);
	assert.deepEqual(marked(["Read a.ts", "Change the parser"]), [...expected.slice(0, 2), expected[2]]);
	assert.deepEqual(
		marked(["Something", "else"]),
		readSteps(document).map(({ box, text }) => box + text),
	);
});

test("a step reported as open again loses its mark, and an unchanged mark is not edited", () => {
	const document = "- [x] first thing to do\n- [ ] second thing to do\n";
	const again = [
		{ text: "first thing to do", status: "done" },
		{ text: "second thing to do", status: "pending" },
	] as const;
	assert.deepEqual(markProgress(document, again), []);
	const undone = markProgress(document, [{ text: "first thing to do", status: "pending" }, again[1]]);
	assert.equal(applyEdits(document, undone), "- [ ] first thing to do\n- [ ] second thing to do\n");
});
