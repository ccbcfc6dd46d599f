import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { GUARD_MS } from "../../media/model/approval/press-guard.ts";
import { AThread } from "./a-thread.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

const CODE = "Like this:\n\n```ts\nconst a = 1;\n```\n\nand\n\n```ts\nconst b = 2;\n```\n\nDone.";

/** Three turns, the middle one long enough to be far from the others. */
function aThread(): AThread {
	const thread = new AThread().turn().ask("one").answer(CODE).end();
	return thread.turn().ask("two").answer("A line.\n\n".repeat(200)).end().turn().ask("three").answer(CODE).end();
}

async function openThread(): Promise<ChatPage> {
	const page = await pages.open();
	await page.showThread(aThread().events);
	await page.takePosted();
	await page.tab.locator("#composer").focus();
	return page;
}

/** The row that has the focus, by its first words. */
function focusedRow(page: ChatPage): Promise<string | undefined> {
	return page.tab.evaluate(() => {
		const row = document.activeElement?.closest<HTMLElement>("[data-row]");
		return row?.querySelector("code, .plain")?.textContent?.trim();
	});
}

test("keys move from prompt to prompt and from code to code, however far apart, and stop at the ends", async () => {
	const page = await openThread();
	const walk = async (key: string, times: number) => {
		const seen: (string | undefined)[] = [];
		for (let time = 0; time < times; time++) {
			await page.tab.keyboard.press(key);
			await page.painted();
			seen.push(await focusedRow(page));
		}
		return seen;
	};
	const [a, b] = ["const a = 1;", "const b = 2;"];
	assert.deepEqual(await walk("Alt+ArrowUp", 4), ["three", "two", "one", "one"]);
	assert.deepEqual(await walk("Control+Alt+ArrowDown", 5), [a, b, a, b, b]);
	assert.deepEqual(await walk("Control+Alt+ArrowUp", 4), [a, b, a, a]);
	assert.deepEqual(await walk("Alt+ArrowDown", 2), ["two", "three"]);
});

test("each key of the panel has its one effect, also while the user is typing", async () => {
	const page = await openThread();
	await page.tab.keyboard.type("hello");
	const RUNS = {
		F2: "renameThread",
		"Control+.": "togglePlan",
		"Control+/": "changeModel",
		"Meta+/": "changeModel",
	} as const;
	for (const [key, command] of Object.entries(RUNS)) {
		await page.tab.keyboard.press(key);
		assert.deepEqual(await page.takePosted(), [{ type: "run", command }], key);
	}
	for (const key of ["Control+f", "Meta+f", "F3"]) {
		await page.tab.keyboard.press(key);
		await page.tab.locator("#find:focus").waitFor();
		await page.tab.keyboard.press("Escape");
		await page.tab.locator("#composer:focus").waitFor();
	}
	assert.equal(await page.tab.locator("#composer").inputValue(), "hello");
	await page.tab.locator("#composer").press("Shift+Enter");
	assert.equal(await page.tab.locator("#composer").inputValue(), "hello\n");
	assert.deepEqual(await page.takePosted(), []);
});

test("Up in an empty prompt edits the last one in place, and Esc changes nothing", async () => {
	const page = await openThread();
	const composer = page.tab.locator("#composer");
	const editor = page.tab.getByRole("textbox", { name: "Edit prompt" });
	const focused = page.tab.locator(".prompt-editor textarea:focus");
	await page.tab.keyboard.press("ArrowUp");
	await focused.waitFor();
	assert.equal(await editor.inputValue(), "three");
	await page.tab.keyboard.press("Escape");
	await page.tab.locator("#composer:focus").waitFor();
	assert.deepEqual([await composer.inputValue(), await editor.count(), await page.takePosted()], ["", 0, []]);
	await page.tab.keyboard.press("ArrowUp");
	await focused.waitFor();
	await page.tab.keyboard.type(" and a half");
	await page.tab.keyboard.press("Enter");
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "resend");
	assert.deepEqual([sent.turnId, sent.text], ["turn-3", "three and a half"]);
});

test("a prompt being edited takes the focus once, and not when it scrolls back into view", async () => {
	const page = await pages.open();
	const thread = new AThread();
	for (let turn = 1; turn <= 40; turn++) thread.turn().ask(`question ${turn}`).answer("words\n\n".repeat(20)).end();
	await page.showThread(thread.events);
	await page.tab.locator("#composer").focus();
	await page.tab.keyboard.press("ArrowUp");
	await page.tab.locator(".prompt-editor textarea:focus").waitFor();
	const scrollTo = async (top: number): Promise<void> => {
		await page.tab.locator("#transcript").evaluate((list, y) => list.scrollTo({ top: y }), top);
		await page.painted();
	};
	await scrollTo(0);
	await page.tab.locator(".prompt-editor").waitFor({ state: "detached" });
	await page.tab.locator("#composer").focus();
	await page.tab.keyboard.type("next");
	await scrollTo(1e9);
	await page.tab.locator(".prompt-editor").waitFor();
	await page.tab.keyboard.type(" one");
	assert.equal(await page.tab.locator("#composer").inputValue(), "next one");
});

test("queued messages come back first, and in a text Up only moves the caret", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").events);
	const composer = page.tab.locator("#composer");
	await composer.fill("later");
	await composer.press("Enter");
	await composer.press("ArrowUp");
	assert.deepEqual([await composer.inputValue(), await page.tab.locator(".queued").count()], ["later", 0]);
	await composer.press("ArrowUp");
	assert.equal(await composer.inputValue(), "later");
	await page.tell({ type: "thread", threadId: null, title: "" });
	await composer.press("ArrowUp");
	assert.equal(await composer.inputValue(), "");
});

test("a footnote's mark leads to its note and back to that mark, however far apart, by mouse and keyboard", async () => {
	const page = await pages.open();
	const text = `Once[^1].\n\nTwice[^1].\n\n${"A line.\n\n".repeat(200)}[^1]: As shown in the paper.`;
	await page.showThread(new AThread().turn().ask("Why?").answer(text).end().events);
	const focused = () =>
		page.tab.evaluate(() => {
			const { activeElement: link } = document;
			const { top = -1, bottom = -1 } = link?.getBoundingClientRect() ?? {};
			const isSeen = top > 0 && bottom < innerHeight && link?.matches(":focus-visible");
			return [link?.closest("[data-row]")?.textContent, isSeen];
		});
	await page.tab.locator("#transcript").press("Home");
	await page.painted();
	assert.equal(await page.tab.locator("[data-note]").count(), 0);
	await page.tab.locator("[data-mark]").nth(1).press("Enter");
	await page.painted();
	assert.deepEqual(await focused(), ["1.As shown in the paper.", true]);
	assert.equal(await page.tab.locator("[data-mark]").count(), 0);
	await page.tab.keyboard.press("Enter");
	await page.painted();
	assert.deepEqual(await focused(), ["Twice1.", true]);
	await page.tab.locator("[data-mark]").first().click();
	await page.painted();
	await page.tab.locator("[data-note]").click();
	await page.painted();
	assert.equal((await focused())[0], "Once1.");
});

test("Esc closes the list of commands and has no other effect", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").events);
	await page.takePosted();
	for (let time = 0; time < 2; time++) {
		await page.tab.locator("#composer").fill("/co");
		assert.equal(await page.tab.locator("#slash-list .list-option").count(), 2);
		await page.tab.keyboard.press("Escape");
		await page.painted();
	}
	assert.deepEqual([await page.tab.locator("#slash-list").count(), await page.takePosted()], [0, []]);
	assert.equal(await page.tab.locator(".stop-hint").innerText(), "");
});

test("keys work as soon as their target is drawn, and act where the previous one led", async () => {
	const page = await pages.open({ isAlone: true });
	await page.tab.addInitScript(() => {
		document.addEventListener("DOMContentLoaded", () => {
			document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "F2", bubbles: true }));
		});
	});
	await page.reload();
	assert.deepEqual(await page.takePosted(), [{ type: "ready" }, { type: "run", command: "renameThread" }]);
	await page.showThread([]);
	const data = { type: "events", threadId: THREAD, events: new AThread().turn().ask("Work").events, loading: false };
	await page.tab.evaluate(async (json) => {
		window.dispatchEvent(new MessageEvent("message", { data: JSON.parse(json) }));
		while (!document.querySelector("[data-running=true]")) await window.stub.nextFrame();
		for (let press = 0; press < 2; press++)
			document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
	}, JSON.stringify(data));
	assert.deepEqual(await page.takePosted(), [{ type: "stop" }]);
	await page.tab.keyboard.press("Control+f");
	const focused = await page.tab.locator("#find").evaluate(async (input) => {
		input.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
		// All that is drawn without a frame.
		for (let step = 0; step < 10; step++) await Promise.resolve();
		return document.activeElement?.id;
	});
	assert.equal(focused, "composer");
});

/** As Safari sends it: after the end of the composition, with the code that stands for an input method. */
async function pressInInputMethod(page: ChatPage, selector: string, key: string): Promise<void> {
	await page.tab.locator(selector).evaluate((element, pressed) => {
		const init = { key: pressed, keyCode: 229, bubbles: true, cancelable: true };
		element.dispatchEvent(new KeyboardEvent("keydown", init));
	}, key);
	await page.painted();
}

test("keys of an input method send, choose, close and stop nothing, in any field", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("First").end();
	await page.showThread(thread.events);
	await page.tab.locator("#composer").fill("/comp");
	await pressInInputMethod(page, "#composer", "Enter");
	await pressInInputMethod(page, "#composer", "Escape");
	assert.equal(await page.tab.locator("#composer").inputValue(), "/comp");
	await page.tab.locator("#composer").fill("");
	await page.tab.locator("#composer").press("ArrowUp");
	const editor = ".prompt-editor textarea";
	await page.tab.locator(editor).waitFor();
	await pressInInputMethod(page, editor, "Enter");
	await pressInInputMethod(page, editor, "Escape");
	assert.equal(await page.tab.locator(editor).count(), 1);
	await page.tab.keyboard.press("Escape");
	await page.tab.keyboard.press("Control+f");
	await page.tab.locator("#find").fill("First");
	await pressInInputMethod(page, "#find", "Escape");
	assert.equal(await page.tab.locator("#find").count(), 1);
	await page.tab.keyboard.press("Escape");
	const start = thread.events.length;
	await page.publish(...thread.turn().ask("Second").events.slice(start));
	const questions = [{ id: "q", text: "Who?", options: [], input: "text" }];
	const request = {
		...{ threadId: THREAD, turnId: "turn-2", questionId: "q1", choices: ["answer", "dismiss"] },
		subject: { kind: "form", questions },
	};
	await page.publish(thread.next({ type: "questionAsked", request: QuestionRequest.parse(request) }));
	await page.passTime(GUARD_MS);
	await page.tab.locator("[data-input=q]").fill("me");
	await page.takePosted();
	await pressInInputMethod(page, "[data-input=q]", "Enter");
	await pressInInputMethod(page, "[data-input=q]", "Escape");
	await pressInInputMethod(page, "#composer", "Escape");
	await pressInInputMethod(page, "#composer", "Escape");
	assert.deepEqual(await page.takePosted(), []);
});
