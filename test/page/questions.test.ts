import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { AThread } from "./a-thread.ts";
import type { ChatPage } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

const REQUEST = QuestionRequest.parse({
	threadId: "thread-1",
	turnId: "turn-1",
	questionId: "q1",
	subject: { kind: "loop", name: "read_file", title: "Read a.ts", times: 5 },
	choices: ["continue", "stop"],
});
const ENVELOPE = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };

async function ask(): Promise<{ readonly page: ChatPage; readonly thread: AThread }> {
	const page = await pages.reuse();
	await page.tell({ type: "thread", threadId: null, title: "" });
	const thread = new AThread();
	thread.add({ type: "turnStarted", envelope: ENVELOPE }).ask("Look into it");
	await page.showThread(thread.events);
	await page.publish(thread.next({ type: "questionAsked", request: REQUEST }));
	await page.takePosted();
	return { page, thread };
}

test("a turn that repeats itself asks whether to go on, takes one answer, and keeps what was said", async () => {
	for (const choice of ["continue", "stop"] as const) {
		const { page, thread } = await ask();
		const card = page.tab.locator("[data-question]");
		assert.equal(
			(await card.innerText()).replaceAll(/\s*\n\s*/g, "\n"),
			"Should it keep going?\nThe agent made the same call 5 times with the same result: Read a.ts\nKeep Going\nStop",
		);
		assert.equal(await page.tab.locator(".status").count(), 0, "the card says that it waits");
		await card.locator(`[data-choice=${choice}]`).click();
		await page.painted();
		assert.equal(await card.locator("button:enabled").count(), 0);
		assert.deepEqual(await page.takePosted(), [{ type: "answerQuestion", questionId: "q1", choice }]);
		await page.publish(thread.next({ type: "questionAnswered", questionId: "q1", choice }));
		assert.equal(await card.count(), 0);
		const record = await page.tab.locator("[data-kind=question]").innerText();
		assert.match(record, choice === "continue" ? /You let the agent keep going\.$/ : /You stopped the agent\.$/);
	}
});

test("a question that nobody answered goes with its turn", async () => {
	const { page, thread } = await ask();
	await page.publish(thread.next({ type: "turnCompleted", status: "interrupted" }));
	assert.equal(await page.tab.locator("[data-question]").count(), 0);
	assert.match(await page.tab.locator("[data-kind=question]").innerText(), /No answer\.$/);
});
