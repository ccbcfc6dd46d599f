import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionRequest } from "../../../../agent-host/protocol/approval/question.ts";
import type { Withdrawal } from "../../../../extension/host/approvals.ts";
import { createQuestions } from "../../../../extension/host/questions.ts";

function aQuestion(questionId: string): QuestionRequest {
	const subject = { kind: "loop", name: "read_file", title: "Read a.ts", times: 5 };
	return QuestionRequest.parse({ threadId: "t", turnId: "u", questionId, subject, choices: ["continue", "stop"] });
}

const NEVER: Withdrawal = { isCancellationRequested: false, onCancellationRequested: () => undefined };

test("an answer goes to the question it names, once, and the question is gone", async () => {
	let changes = 0;
	const questions = createQuestions(() => changes++);
	const first = questions.ask(aQuestion("q1"), NEVER);
	const second = questions.ask(aQuestion("q2"), NEVER);
	assert.deepEqual(
		questions.pending().map(({ questionId }) => questionId),
		["q1", "q2"],
	);
	assert.equal(questions.answer("q2", "continue"), undefined);
	assert.deepEqual(await second, { choice: "continue" });
	assert.equal(questions.answer("q2", "stop"), "That question is no longer open.");
	assert.equal(questions.answer("q1", "stop"), undefined);
	assert.deepEqual([await first, questions.pending(), changes], [{ choice: "stop" }, [], 4]);
});

test("a question that the host takes back, or whose host is gone, fails and waits no longer", async () => {
	const questions = createQuestions(() => undefined);
	let withdraw = (): void => undefined;
	const taken = questions.ask(aQuestion("q1"), {
		isCancellationRequested: false,
		onCancellationRequested: (listener) => {
			withdraw = listener;
		},
	});
	const left = questions.ask(aQuestion("q2"), NEVER);
	withdraw();
	questions.dropAll();
	await assert.rejects(taken, /withdrawn/);
	await assert.rejects(left, /withdrawn/);
	await assert.rejects(questions.ask(aQuestion("q3"), { ...NEVER, isCancellationRequested: true }), /withdrawn/);
	assert.deepEqual(questions.pending(), []);
});
