import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { GUARD_MS } from "../../media/model/approval/press-guard.ts";
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
		await page.passTime(GUARD_MS);
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

test("an unanswered question disappears with its turn", async () => {
	const { page, thread } = await ask();
	await page.publish(thread.next({ type: "turnCompleted", status: "interrupted" }));
	assert.equal(await page.tab.locator("[data-question]").count(), 0);
	assert.match(await page.tab.locator("[data-kind=question]").innerText(), /No answer\.$/);
});

const FORM = QuestionRequest.parse({
	...REQUEST,
	questionId: "q2",
	subject: {
		kind: "form",
		questions: [
			{
				id: "store",
				header: "Storage",
				text: "Where should it go? [click](command:x) **now**",
				options: [{ label: "SQLite", description: "One file", recommended: true }, { label: "Postgres\u202e" }],
				input: "text",
			},
			{ id: "parts", text: "Which parts?", options: [{ label: "Tests" }, { label: "Docs" }], multiple: true },
		],
	},
	choices: ["answer", "dismiss"],
});

async function askForm(request = FORM): Promise<Awaited<ReturnType<typeof ask>>> {
	const { page, thread } = await ask();
	await page.publish(thread.next({ type: "questionAnswered", questionId: "q1", choice: "continue" }));
	await page.publish(thread.next({ type: "questionAsked", request }));
	await page.passTime(GUARD_MS);
	return { page, thread };
}

test("questions in any script stay readable; only their invisible characters are marked", async () => {
	const subject = {
		...{ kind: "form", server: "трекер", message: "サーバーの名前\u202e" },
		questions: [{ id: "q", header: "Где", text: "Где хранить?", options: [{ label: "データベース" }] }],
	};
	const { page } = await askForm(QuestionRequest.parse({ ...FORM, subject }));
	const card = page.tab.locator("[data-question=q2]");
	assert.equal(await card.locator(".spelled-foreign, .spelled-escape").count(), 0);
	assert.match(await card.innerText(), /трекер.*サーバーの名前\\u\{202E\}.*Где хранить\?.*データベース/s);
});

test("a server's form that requires nothing can be sent empty, which its record says", async () => {
	const questions = [{ id: "days", text: "How long?", options: [], input: "integer" }];
	for (const asked of [questions, []]) await sendEmpty(asked);
});

async function sendEmpty(questions: readonly object[]): Promise<void> {
	const { page, thread } = await askForm(
		QuestionRequest.parse({ ...FORM, subject: { kind: "form", server: "docs", message: "Proceed?", questions } }),
	);
	await page.tab.locator("[data-question=q2] [data-choice=answer]").click();
	await page.painted();
	const answer = { questionId: "q2", choice: "answer" as const, answers: {} };
	assert.deepEqual(await page.takePosted(), [{ type: "answerQuestion", ...answer }]);
	await page.publish(thread.next({ type: "questionAnswered", ...answer }));
	const record = page.tab.locator("[data-kind=question]").last();
	assert.match(await record.innerText(), /You sent it without an answer\.$/);
}

test("an invalid number is reported, and required answers are distinguished from optional ones", async () => {
	const questions = [
		{ id: "user", text: "Who?", options: [], input: "text", required: true },
		{ id: "days", text: "How long?", options: [], input: "integer" },
	];
	const { page } = await askForm(QuestionRequest.parse({ ...FORM, subject: { kind: "form", questions } }));
	const card = page.tab.locator("[data-question=q2]");
	assert.deepEqual(await card.locator("legend").allInnerTexts(), ["Who? (required)", "How long?"]);
	await card.locator("[data-input=user]").fill("me");
	await card.locator("[data-input=days]").fill("a week");
	assert.equal(await card.locator(".asked-problem").innerText(), "Enter a whole number.");
	assert.equal(await card.locator("[data-choice=answer]").isDisabled(), true);
	await card.locator("[data-input=days]").fill("7");
	assert.equal(await card.locator(".asked-problem").count(), 0);
	assert.equal(await card.locator("[data-choice=answer]").isDisabled(), false);
});

test("the agent's questions are answered by keyboard alone, together and once; its words are only text", async () => {
	const { page, thread } = await askForm();
	const card = page.tab.locator("[data-question=q2]");
	assert.equal(await card.locator("h2").innerText(), "Vitrine has a question");
	assert.match(await card.innerText(), /\[click\]\(command:x\) \*\*now\*\*/);
	assert.equal(await card.locator("a, strong").count(), 0);
	assert.doesNotMatch(await card.innerText(), /\u202e(?!\w)$/);
	assert.equal(await card.locator("input:checked").getAttribute("data-option"), "SQLite");
	await card.locator("input:checked").focus();
	await page.tab.keyboard.press("Tab");
	await page.tab.keyboard.type("MySQL");
	assert.equal(await card.locator("input:checked").count(), 0, "own words replace the option");
	await page.tab.keyboard.press("Tab");
	await page.tab.keyboard.press("Space");
	await page.tab.keyboard.press("Enter");
	await page.painted();
	const answers = { store: { chosen: [], text: "MySQL" }, parts: { chosen: ["Tests"] } };
	assert.deepEqual(await page.takePosted(), [{ type: "answerQuestion", questionId: "q2", choice: "answer", answers }]);
	assert.equal(await card.locator("button:enabled, fieldset:enabled").count(), 0);
	await page.publish(thread.next({ type: "questionAnswered", questionId: "q2", choice: "answer", answers }));
	assert.equal(await card.count(), 0);
	const records = await page.tab.locator("[data-kind=question]").allInnerTexts();
	assert.match(records.at(-1) ?? "", /You answered: MySQL; Tests$/);
});

test("an answer that is begun is still there after a look at another thread", async () => {
	const { page } = await ask();
	const { events } = new AThread().turn(ENVELOPE).ask("Store it").add({ type: "questionAsked", request: FORM });
	await page.showThread(events);
	const card = page.tab.locator("[data-question=q2]");
	await card.locator("[data-input=store]").fill("MySQL, as in the other project");
	await card.getByLabel("Docs").check();
	await page.tell({ type: "thread", threadId: "thread-2", title: "Another" });
	assert.equal(await card.count(), 0);
	await page.showThread(events);
	assert.equal(await card.locator("[data-input=store]").inputValue(), "MySQL, as in the other project");
	assert.deepEqual(await card.locator("input:checked").evaluateAll((all) => all.map((one) => one.dataset.option)), [
		"Docs",
	]);
	await page.passTime(GUARD_MS);
	await card.locator("[data-choice=dismiss]").click();
});

test("an answer of several lines is seen whole, and Enter sends it as soon as its last word is written", async () => {
	const { page } = await askForm();
	const field = page.tab.locator("[data-input=store]");
	const measure = () => field.evaluate((one) => [one.clientHeight, one.scrollHeight]);
	const [before = 0] = await measure();
	await field.focus();
	for (let word = 1; word <= 30; word++) {
		await page.tab.keyboard.insertText(`word ${word} `);
		// Time for the browser to lay it out, and none for the guard.
		await page.painted();
	}
	const [height = 0, needed] = await measure();
	assert.deepEqual([height, height > 2 * before], [needed, true]);
	await page.tab.keyboard.press("Enter");
	assert.deepEqual(
		(await page.takePosted()).map(({ type }) => type),
		["answerQuestion"],
	);
});

test("a recommended answer is one press away, and Escape or Dismiss gives no answer", async () => {
	for (const [press, posted] of [
		["Enter", { choice: "answer", answers: { store: { chosen: ["SQLite"] } } }],
		["Escape", { choice: "dismiss" }],
	] as const) {
		const { page } = await askForm();
		await page.tab.locator("[data-question=q2] input:checked").focus();
		await page.tab.keyboard.press(press);
		await page.painted();
		assert.deepEqual(await page.takePosted(), [{ type: "answerQuestion", questionId: "q2", ...posted }]);
	}
});

test("Escape loses no words of an answer: it leads to Dismiss, which gives them up only when it is pressed", async () => {
	const { page } = await askForm();
	const card = page.tab.locator("[data-question=q2]");
	const field = card.locator("[data-input=store]");
	await field.fill("MySQL, as in the other project");
	for (let press = 0; press < 2; press++) {
		await page.tab.keyboard.press("Escape");
		assert.equal(await card.locator("[data-choice=dismiss]").evaluate((one) => one === document.activeElement), true);
	}
	assert.deepEqual(await page.takePosted(), []);
	assert.equal(await field.inputValue(), "MySQL, as in the other project");
	await page.tab.keyboard.press("Enter");
	assert.deepEqual(await page.takePosted(), [{ type: "answerQuestion", questionId: "q2", choice: "dismiss" }]);
});

test("a question that has just appeared takes no press meant for something else", async () => {
	const { page, thread } = await ask();
	await page.publish(thread.next({ type: "questionAsked", request: FORM }));
	await page.tab.locator("[data-question=q2] [data-choice=answer]").click();
	await page.painted();
	assert.deepEqual(await page.takePosted(), []);
	assert.match(await page.tab.locator("[data-question=q2] .too-soon").innerText(), /just changed/);
});

test("Enter in a prefilled answer, and Escape, are ignored while the question is new", async () => {
	const questions = [{ id: "name", text: "Which name?", options: [], input: "text", initial: "main" }];
	const { page, thread } = await ask();
	await page.publish(thread.next({ type: "questionAnswered", questionId: "q1", choice: "continue" }));
	await page.tab.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
	const request = QuestionRequest.parse({ ...FORM, subject: { kind: "form", questions } });
	await page.publish(thread.next({ type: "questionAsked", request }));
	const input = page.tab.locator("[data-question=q2] textarea");
	assert.equal(await input.evaluate((element) => element === document.activeElement), true);
	await page.tab.keyboard.press("Enter");
	await page.tab.keyboard.press("Escape");
	assert.deepEqual(await page.takePosted(), []);
	await page.passTime(GUARD_MS);
	await page.tab.keyboard.press("Enter");
	const answers = { name: { chosen: [], text: "main" } };
	assert.deepEqual(await page.takePosted(), [{ type: "answerQuestion", questionId: "q2", choice: "answer", answers }]);
});

test("Escape that ends a conversion in an input method leaves the question open", async () => {
	const { page } = await askForm();
	await page.tab.locator("[data-question=q2] textarea").evaluate((element) => {
		const press = { key: "Escape", isComposing: true, bubbles: true, cancelable: true };
		element.dispatchEvent(new KeyboardEvent("keydown", press));
	});
	assert.deepEqual(await page.takePosted(), []);
});

test("with an empty prompt focused, one press answers a question", async () => {
	for (const how of ["mouse", "keyboard"] as const) {
		const { page, thread } = await ask();
		await page.publish(thread.next({ type: "questionAnswered", questionId: "q1", choice: "continue" }));
		await page.tab.locator("#composer").focus();
		await page.publish(thread.next({ type: "questionAsked", request: { ...REQUEST, questionId: "q2" } }));
		await page.passTime(GUARD_MS);
		await page.takePosted();
		const button = page.tab.locator("[data-question=q2] [data-choice=stop]");
		if (how === "mouse") await button.click();
		else await button.press("Enter");
		assert.deepEqual(await page.takePosted(), [{ type: "answerQuestion", questionId: "q2", choice: "stop" }]);
	}
});

test("a question leaves the focus with a user who is answering another one", async () => {
	const { page, thread } = await askForm();
	const first = page.tab.locator("[data-question=q2] input:checked");
	await first.focus();
	await page.publish(thread.next({ type: "questionAsked", request: { ...FORM, questionId: "q3" } }));
	assert.equal(await first.evaluate((element) => element === document.activeElement), true);
});

test("a server's question names the server and where the answer goes; an address is shown whole", async () => {
	const questions = [{ id: "n", text: "How many?", options: [], input: "integer", required: true }];
	const subject = { kind: "form", server: "docs", message: "We need this.", questions };
	const { page } = await askForm(QuestionRequest.parse({ ...FORM, subject }));
	const card = page.tab.locator("[data-question=q2]");
	assert.match(
		await card.innerText(),
		/^The MCP server docs asks you for information\s+We need this\.\s+The server gets what you write\./,
	);
	for (const [text, ready] of [
		["many", 0],
		["3", 1],
	] as const) {
		await card.locator("textarea").fill(text);
		assert.equal(await card.locator("[data-choice=answer]:enabled").count(), ready);
	}
	const url = "https://example.org/sign-in?next=%2Fall";
	const address = { kind: "address", server: "docs", message: "Sign in.", url };
	const { page: other } = await askForm(
		QuestionRequest.parse({ ...FORM, subject: address, choices: ["open", "dismiss"] }),
	);
	const shown = other.tab.locator("[data-question=q2]");
	assert.match(
		await shown.innerText(),
		/^The MCP server docs wants to open a web page\s+Sign in\.\s+https:\/\/example\.org\/sign-in\?next=%2Fall/,
	);
	assert.equal(await shown.locator("a").count(), 0);
	await shown.locator("[data-choice=open]").click();
	await other.painted();
	assert.deepEqual(await other.takePosted(), [{ type: "answerQuestion", questionId: "q2", choice: "open" }]);
});
