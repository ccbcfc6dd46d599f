import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionRequest } from "../../../../agent-host/protocol/approval/question.ts";
import type { Withdrawal } from "../../../../extension/host/approvals.ts";
import { createQuestions } from "../../../../extension/host/questions.ts";

function aQuestion(questionId: string): QuestionRequest {
	const subject = { kind: "loop", name: "read_file", title: "Read a.ts", times: 5 };
	return QuestionRequest.parse({ threadId: "t", turnId: "u", questionId, subject, choices: ["continue", "stop"] });
}

const fail = (url: string): never => assert.fail(`opened ${url}`);
const NEVER: Withdrawal = { isCancellationRequested: false, onCancellationRequested: () => undefined };

test("an answer goes to the question it names, once, and the question is gone", async () => {
	let changes = 0;
	const questions = createQuestions(() => changes++, fail);
	const first = questions.ask(aQuestion("q1"), NEVER);
	const second = questions.ask(aQuestion("q2"), NEVER);
	assert.deepEqual(
		questions.pending().map(({ questionId }) => questionId),
		["q1", "q2"],
	);
	assert.equal(questions.answer("q2", { choice: "continue" }), undefined);
	assert.deepEqual(await second, { choice: "continue" });
	assert.equal(questions.answer("q2", { choice: "stop" }), "That question is no longer open.");
	assert.equal(questions.answer("q1", { choice: "stop" }), undefined);
	assert.deepEqual([await first, questions.pending(), changes], [{ choice: "stop" }, [], 4]);
});

test("a question that the host takes back, or whose host is gone, fails and waits no longer", async () => {
	const questions = createQuestions(() => undefined, fail);
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

test("the answers of a form go to the host as they were given; a choice that was not offered is refused", async () => {
	const questions = createQuestions(() => undefined, fail);
	const asked = { id: "a", text: "Which?", options: [{ label: "One" }] };
	const form = QuestionRequest.parse({
		...aQuestion("q1"),
		subject: { kind: "form", questions: [asked] },
		choices: ["answer", "dismiss"],
	});
	const waiting = questions.ask(form, NEVER);
	assert.equal(questions.answer("q1", { choice: "continue" }), "That question is no longer open.");
	const answers = { a: { chosen: ["One"] } };
	assert.equal(questions.answer("q1", { choice: "answer", answers }), undefined);
	assert.deepEqual(await waiting, { choice: "answer", answers });
});

test("an address opens exactly as the host sent it, once the user agrees", async () => {
	const opened: string[] = [];
	const questions = createQuestions(
		() => undefined,
		(url) => opened.push(url),
	);
	const subject = { kind: "address", server: "docs", message: "Sign in.", url: "https://example.org/in" };
	for (const [questionId, choice] of [
		["q1", "dismiss"],
		["q2", "open"],
	] as const) {
		const request = QuestionRequest.parse({ ...aQuestion(questionId), subject, choices: ["open", "dismiss"] });
		void questions.ask(request, NEVER);
		assert.deepEqual(opened, []);
		questions.answer(questionId, { choice });
	}
	assert.deepEqual(opened, ["https://example.org/in"]);
});
