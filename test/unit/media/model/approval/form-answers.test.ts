import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedQuestion } from "../../../../../agent-host/protocol/approval/question.ts";
import { beginForm, chooseOption, readForm, writeAnswer } from "../../../../../media/model/approval/form-answers.ts";

const ONE: AskedQuestion = {
	id: "one",
	text: "Which?",
	options: [{ label: "A" }, { label: "B", recommended: true }],
	input: "text",
};
const MANY: AskedQuestion = {
	id: "many",
	text: "Which ones?",
	options: [{ label: "A" }, { label: "B" }],
	multiple: true,
};
const COUNT: AskedQuestion = { id: "count", text: "How many?", options: [], input: "integer", required: true };

test("a form starts with its recommended answers, which count at once; any other question starts empty", () => {
	assert.deepEqual(readForm(beginForm([ONE, MANY]), { questions: [ONE, MANY] }), { one: { chosen: ["B"] } });
	assert.equal(readForm(beginForm([MANY]), { questions: [MANY] }), undefined, "nothing is no answer");
	const empty = { server: "docs", questions: [MANY] };
	assert.deepEqual(readForm(beginForm([MANY]), empty), {}, "but a server may want none");
	const strict = { server: "docs", questions: [{ ...MANY, required: true as const }] };
	assert.equal(readForm(beginForm([MANY]), strict), undefined);
});

test("if only one answer is allowed, own words and options replace each other", () => {
	const written = writeAnswer(beginForm([ONE]), ONE, " neither ");
	assert.deepEqual(readForm(written, { questions: [ONE] }), { one: { chosen: [], text: "neither" } });
	assert.deepEqual(readForm(chooseOption(written, ONE, "A"), { questions: [ONE] }), { one: { chosen: ["A"] } });
});

test("several options are added and taken away one by one", () => {
	const both = chooseOption(chooseOption(beginForm([MANY]), MANY, "B"), MANY, "A");
	assert.deepEqual(readForm(both, { questions: [MANY] }), { many: { chosen: ["B", "A"] } });
	assert.deepEqual(readForm(chooseOption(both, MANY, "B"), { questions: [MANY] }), { many: { chosen: ["A"] } });
});

test("a form has no answers while a required one is missing or is not a valid number", () => {
	const begun = beginForm([ONE, COUNT]);
	for (const text of ["", "three", "2.5", "1e999"])
		assert.equal(readForm(writeAnswer(begun, COUNT, text), { questions: [ONE, COUNT] }), undefined);
	assert.deepEqual(readForm(writeAnswer(begun, COUNT, "3"), { questions: [COUNT] }), {
		count: { chosen: [], text: "3" },
	});
});
