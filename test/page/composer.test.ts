import assert from "node:assert/strict";
import { test } from "node:test";
import { aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

async function openNew(): Promise<ChatPage> {
	const page = await pages.open();
	await page.tell({ type: "panel", panel: aPanel() }, { type: "thread", threadId: null, title: "" });
	await page.takePosted();
	return page;
}

async function openRunning(): Promise<ChatPage> {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").events);
	await page.takePosted();
	return page;
}

/** The id of the only prompt posted, whose text must be this. */
async function takeSubmitted(page: ChatPage, text: string): Promise<string> {
	const [message, ...others] = await page.takePosted();
	assert.ok(message?.type === "submit" && others.length === 0);
	assert.equal(message.text, text);
	return message.id;
}

function prompt(page: ChatPage) {
	return page.tab.locator("#composer");
}

test("Enter sends, Shift+Enter begins a line, and the text stays until the thread has accepted it", async () => {
	const page = await openNew();
	await prompt(page).focus();
	await page.tab.keyboard.type("one");
	await page.tab.keyboard.press("Shift+Enter");
	await page.tab.keyboard.type("two");
	await page.tab.keyboard.press("Enter");
	const id = await takeSubmitted(page, "one\ntwo");
	assert.equal(await prompt(page).inputValue(), "one\ntwo");
	await page.tab.keyboard.press("Enter");
	assert.deepEqual(await page.takePosted(), []);
	await page.tell({ type: "submitted", id });
	assert.equal(await prompt(page).inputValue(), "");
});

test("a text that changes while it is being sent stays", async () => {
	const page = await openNew();
	await prompt(page).fill("first");
	await page.tab.locator("#send").click();
	const id = await takeSubmitted(page, "first");
	await prompt(page).fill("first and more");
	await page.tell({ type: "submitted", id });
	assert.equal(await prompt(page).inputValue(), "first and more");
});

test("a refused prompt stays with its reason, which disappears when the text changes", async () => {
	const page = await openNew();
	await prompt(page).fill("hello");
	await page.tab.locator("#send").click();
	const id = await takeSubmitted(page, "hello");
	await page.tell({ type: "submitted", id, problem: "The thread is busy." });
	const alert = page.tab.locator(".composer [role=alert]");
	assert.equal(await prompt(page).inputValue(), "hello");
	assert.equal(await alert.textContent(), "The thread is busy.");
	await prompt(page).fill("hello again");
	assert.equal(await alert.textContent(), "");
});

test("empty and blank prompts cannot be sent", async () => {
	const page = await openNew();
	assert.ok(await page.tab.locator("#send").isDisabled());
	await prompt(page).fill(" \n ");
	assert.ok(await page.tab.locator("#send").isDisabled());
	await prompt(page).press("Enter");
	assert.deepEqual(await page.takePosted(), []);
});

test("a prompt of more than a million characters is kept and refused at once, with what to do", async () => {
	const page = await openNew();
	// In lines: a browser takes ten times as long to break so long a word.
	const text = `${`${"x".repeat(99)}\n`.repeat(10_000)}x`;
	await prompt(page).evaluate((element, value) => {
		(element as HTMLTextAreaElement).value = value;
		element.dispatchEvent(new Event("input", { bubbles: true }));
	}, text);
	await prompt(page).press("Enter");
	assert.deepEqual(await page.takePosted(), []);
	assert.equal(
		await page.tab.locator(".composer [role=alert]").textContent(),
		"Too long to send: 1,000,001 characters (limit 1,000,000 characters). Save it as a file in the workspace and ask about that file.",
	);
	assert.equal((await prompt(page).inputValue()).length, text.length);
	assert.ok(await page.tab.locator("#send").isDisabled());
});

test("Enter in an input method does not send", async () => {
	const page = await openNew();
	await prompt(page).focus();
	const input = await page.tab.context().newCDPSession(page.tab);
	await input.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
	await prompt(page).evaluate((element) => {
		const init = { key: "Enter", bubbles: true, cancelable: true };
		element.dispatchEvent(new KeyboardEvent("keydown", { ...init, isComposing: true }));
		element.dispatchEvent(new KeyboardEvent("keydown", { ...init, keyCode: 229 }));
	});
	assert.deepEqual(await page.takePosted(), []);
	await input.send("Input.insertText", { text: "日本" });
	await page.tab.keyboard.press("Enter");
	await takeSubmitted(page, "日本");
});

test("the composer grows with its lines, up to ten", async () => {
	const page = await openNew();
	const heights: number[] = [];
	for (const lines of [1, 5, 10, 40]) {
		await prompt(page).fill(Array(lines).fill("line").join("\n"));
		heights.push((await prompt(page).boundingBox())?.height ?? 0);
	}
	const [one = 0, five = 0, ten = 0, forty = 0] = heights;
	const line = (five - one) / 4;
	assert.ok(line > 10, `${line} px a line`);
	assert.deepEqual({ ten, forty }, { ten: one + 9 * line, forty: one + 9 * line });
});

test("drafts belong to their threads and survive a reload", async () => {
	const page = await openNew();
	await prompt(page).fill("for a new thread");
	await page.tell({ type: "thread", threadId: "thread-9", title: "Nine" });
	assert.equal(await prompt(page).inputValue(), "");
	await prompt(page).fill("for nine");
	await page.reload();
	await page.tell({ type: "panel", panel: aPanel() }, { type: "thread", threadId: "thread-9", title: "Nine" });
	assert.equal(await prompt(page).inputValue(), "for nine");
	await page.tell({ type: "thread", threadId: null, title: "" });
	assert.equal(await prompt(page).inputValue(), "for a new thread");
});

test("the first prompt of a thread stays in the composer until the thread has accepted it", async () => {
	const page = await openNew();
	await prompt(page).fill("begin");
	await prompt(page).press("Enter");
	const id = await takeSubmitted(page, "begin");
	await page.tell({ type: "opening", threadId: THREAD, begun: true });
	assert.equal(await prompt(page).inputValue(), "begin");
	await page.tell({ type: "submitted", id });
	assert.equal(await prompt(page).inputValue(), "");
	await page.tell({ type: "thread", threadId: null, title: "" });
	assert.equal(await prompt(page).inputValue(), "");
});

test("a draft in an empty chat stays when its thread begins, for instance to change its permissions", async () => {
	const page = await openNew();
	await prompt(page).fill("not sent yet");
	await page.tell({ type: "opening", threadId: THREAD, begun: true });
	assert.equal(await prompt(page).inputValue(), "not sent yet");
	await page.tell({ type: "thread", threadId: null, title: "" });
	assert.equal(await prompt(page).inputValue(), "");
});

test("while a turn runs the user can type, and the button stops the turn", async () => {
	const page = await openRunning();
	assert.equal(await page.tab.locator("#app > .panel").getAttribute("data-running"), "true");
	assert.equal(await page.tab.locator("#send").count(), 0);
	await prompt(page).fill("next");
	await page.tab.getByRole("button", { name: "Stop", exact: true }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "stop" }]);
	assert.equal(await prompt(page).inputValue(), "next");
});

test("pressing Esc twice stops the turn, and the first press says so", async () => {
	const page = await openRunning();
	await prompt(page).focus();
	await page.tab.keyboard.press("Escape");
	await page.tab.getByText("Press Esc again to stop").waitFor();
	assert.deepEqual(await page.takePosted(), []);
	await page.passTime(999);
	await page.tab.keyboard.press("Escape");
	assert.deepEqual(await page.takePosted(), [{ type: "stop" }]);
});

test("pressing Esc twice more than a second apart does not stop the turn", async () => {
	const page = await openRunning();
	await prompt(page).focus();
	await page.tab.keyboard.press("Escape");
	await page.tab.getByText("Press Esc again to stop").waitFor();
	await page.passTime(1_000);
	assert.equal(await page.tab.getByText("Press Esc again to stop").count(), 0);
	await page.tab.keyboard.press("Escape");
	assert.deepEqual(await page.takePosted(), []);
});

test("an example fills the composer and gives it the focus", async () => {
	const page = await openNew();
	const example = page.tab.locator(".example").first();
	await example.click();
	await page.painted();
	assert.equal(await prompt(page).inputValue(), await example.textContent());
	assert.ok(await prompt(page).evaluate((element) => element === document.activeElement));
});

test("the focus goes to the composer when a button is pressed or replaced by another", async () => {
	const page = await openNew();
	await prompt(page).fill("hello");
	await page.tab.locator("#send").focus();
	await page.tab.keyboard.press("Enter");
	await page.painted();
	assert.ok(await prompt(page).evaluate((element) => element === document.activeElement));
	const thread = new AThread().turn().ask("hello");
	await page.showThread(thread.events);
	await page.tab.locator("#stop").focus();
	await page.publish(...thread.end().events.slice(-1));
	assert.ok(await prompt(page).evaluate((element) => element === document.activeElement));
});

test("the extension can give the composer the focus", async () => {
	const page = await openNew();
	await page.tell({ type: "focusInput" });
	assert.ok(await prompt(page).evaluate((element) => element === document.activeElement));
});
