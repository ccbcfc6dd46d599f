import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedQuestion } from "../../../agent-host/protocol/approval/question.ts";
import { answerForm, readGiven } from "../../../agent-host/surfaces/cli/answer-form.ts";

const COLOR: AskedQuestion = { id: "color", text: "Which color?", options: [{ label: "Red" }, { label: "Blue" }] };

const answer = (questions: AskedQuestion[], ...typed: readonly string[]) => answerTo({ questions }, typed);

async function answerTo(subject: Parameters<typeof answerForm>[0], typed: readonly string[]) {
	const shown: string[] = [];
	const lines = [...typed];
	const ask = async (text: string) => {
		shown.push(text);
		return lines.shift() ?? "";
	};
	return { answer: await answerForm(subject, ask, "The agent asks:"), shown };
}

test("options are named by their numbers, and own words count only where they are asked for", () => {
	assert.deepEqual(readGiven(COLOR, " 2 "), { chosen: ["Blue"] });
	assert.equal(readGiven(COLOR, "1,2"), undefined);
	assert.deepEqual(readGiven({ ...COLOR, multiple: true }, "1, 2"), { chosen: ["Red", "Blue"] });
	for (const typed of ["3", "0", "green", "1,x"]) assert.equal(readGiven(COLOR, typed), undefined, typed);
	assert.deepEqual(readGiven({ ...COLOR, input: "text" }, "green"), { chosen: [], text: "green" });
	assert.equal(readGiven({ ...COLOR, options: [], input: "integer" }, "1.5"), undefined);
});

test("an empty line leaves a question open, and if it is required, all of them", async () => {
	const free: AskedQuestion = { id: "name", text: "Name?", options: [], input: "text" };
	const { answer: given, shown } = await answer([COLOR, free], "1", "");
	assert.deepEqual(given, { choice: "answer", answers: { color: { chosen: ["Red"] } } });
	assert.match(
		shown[0] ?? "",
		/^The agent asks:\nWhich color\?\n {2}1 {2}Red\n {2}2 {2}Blue\nType a number, or leave it empty to skip/,
	);
	assert.deepEqual((await answer([COLOR, { ...free, required: true }], "1", "")).answer, { choice: "dismiss" });
	assert.deepEqual((await answer([COLOR])).answer, { choice: "dismiss" });
});

test("a server's form without any answer is sent only after a yes", async () => {
	const subject = { server: "docs", questions: [COLOR] };
	const { answer: given, shown } = await answerTo(subject, ["", "y"]);
	assert.deepEqual(given, { choice: "answer", answers: {} });
	assert.equal(shown[1], "Send it without an answer? [y]es, [n]o");
	assert.deepEqual((await answerTo(subject, ["", ""])).answer, { choice: "dismiss" });
	const nothing = await answerTo({ ...subject, questions: [] }, ["y"]);
	assert.deepEqual(nothing, {
		answer: { choice: "answer", answers: {} },
		shown: ["The agent asks:\nSend it without an answer? [y]es, [n]o"],
	});
	const strict = { ...subject, questions: [{ ...COLOR, required: true as const }] };
	assert.deepEqual((await answerTo(strict, ["", "y"])).answer, { choice: "dismiss" });
});

test("text from a server cannot command the terminal", async () => {
	const { shown } = await answer([{ ...COLOR, text: "Which\u001b[2J?" }]);
	assert.match(shown[0] ?? "", /Which\\u\{1b\}\[2J\?/);
});
