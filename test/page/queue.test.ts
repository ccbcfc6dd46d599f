import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { findViolations } from "./find-violations.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

interface Running {
	readonly page: ChatPage;
	readonly thread: AThread;
}

/** A page on a running turn, in whose queue these messages are. */
async function openRunning(...queue: readonly string[]): Promise<Running> {
	const page = await pages.open();
	const thread = new AThread().turn().ask("Work");
	await page.showThread(thread.events);
	for (const text of queue) await press(page, text, "Enter");
	await page.takePosted();
	return { page, thread };
}

async function press(page: ChatPage, text: string, keys: string): Promise<void> {
	await page.tab.locator("#composer").fill(text);
	await page.tab.locator("#composer").press(keys);
}

function queued(page: ChatPage): Promise<string[]> {
	return page.tab.locator(".queued-text").allTextContents();
}

function button(page: ChatPage, text: string, name: string) {
	return page.tab.locator(".queued", { hasText: text }).getByRole("button", { name, exact: true });
}

/** The turn ends well, and the page has been told. */
async function finish({ page, thread }: Running): Promise<void> {
	await page.publish(...thread.end().events.slice(-1));
}

test("a command is run, not queued or steered, by the buttons too", async () => {
	const { page } = await openRunning();
	await page.tab.locator("#composer").fill("/compact");
	await page.tab.locator("#send").click();
	await page.tab.locator("#composer").fill("/compact");
	await page.tab.getByRole("button", { name: "More ways to send" }).click();
	await page.tab.getByRole("menuitem", { name: "Send now (steer)" }).click();
	const posted = await page.takePosted();
	assert.deepEqual([posted.map(({ type }) => type), await queued(page)], [["compact", "compact"], []]);
});

test("while a turn runs Enter queues, Ctrl+Enter steers, Ctrl+Shift+Enter stops and sends", async () => {
	const { page } = await openRunning();
	await press(page, "later", "Enter");
	assert.deepEqual([await queued(page), await page.takePosted()], [["later"], []]);
	assert.equal(await page.tab.locator("#composer").inputValue(), "");

	await press(page, "now", "Control+Enter");
	const [steer] = await page.takePosted();
	assert.ok(steer?.type === "steer");
	assert.deepEqual([steer.turnId, steer.text], ["turn-1", "now"]);
	await page.tell({ type: "submitted", id: steer.id });
	assert.equal(await page.tab.locator("#composer").inputValue(), "");

	await press(page, "instead", "Control+Shift+Enter");
	const [instead] = await page.takePosted();
	assert.ok(instead?.type === "submit");
	assert.deepEqual([instead.text, instead.stop], ["instead", true]);
});

test("with the setting the other way round, Enter steers, Ctrl+Enter queues, and the buttons say so", async () => {
	const { page } = await openRunning();
	await page.tell({ type: "panel", panel: aPanel({ chat: { ...aPanel().chat, whileRunning: "steer" } }) });
	await press(page, "later", "Control+Enter");
	assert.deepEqual([await queued(page), await page.takePosted()], [["later"], []]);
	await page.tab.locator("#composer").fill("now");
	const send = page.tab.locator("#send");
	assert.deepEqual([await send.innerText(), await send.getAttribute("title")], ["Steer", "Send now (steer) (Enter)"]);
	await page.tab.locator("#composer").press("Enter");
	const [steer] = await page.takePosted();
	assert.deepEqual([steer?.type, steer?.type === "steer" && steer.text], ["steer", "now"]);
});

test("in live mode Enter steers whatever the setting says, and a chip shows the mode and switches it", async () => {
	const { page } = await openRunning();
	const chip = page.tab.locator("#footer [data-chip=live]");
	assert.equal(await chip.count(), 0);
	await page.tell({ type: "panel", panel: aPanel({ next: aNextTurn({ isLive: true, threadId: THREAD }) }) });
	await press(page, "wait, the other one", "Enter");
	const [steer] = await page.takePosted();
	assert.deepEqual([steer?.type, steer?.type === "steer" && steer.text], ["steer", "wait, the other one"]);
	await chip.click();
	assert.deepEqual((await page.takePosted()).at(-1), { type: "run", command: "toggleLive" });
});

test("the user's own command runs instead of being sent, waits for a running turn, and leaves attachments in place", async () => {
	const { page, thread } = await openRunning();
	await page.tell({
		type: "compose",
		text: "",
		attach: [{ key: "k", kind: "file", label: "a.ts", title: "a.ts" }],
		how: "write",
	});
	await press(page, "!npm test", "Control+Enter");
	assert.deepEqual([await queued(page), await page.takePosted()], [["!npm test"], []]);
	await finish({ page, thread });
	const [run] = await page.takePosted();
	assert.ok(run?.type === "runShell");
	assert.equal(run.command, "npm test");
	await page.tell({ type: "submitted", id: run.id });
	await page.tab.locator("#composer").fill("!");
	assert.match(await page.tab.locator(".shell-hint").innerText(), /^Runs in the sandbox;/);
	await page.tell({ type: "panel", panel: aPanel({ next: aNextTurn({ threadId: THREAD, isContained: false }) }) });
	await page.tab.locator(".shell-hint", { hasText: /^Runs without a sandbox, with your rights;/ }).waitFor();
	assert.equal(await page.tab.locator(".context-chip").count(), 1);
	await press(page, " !important", "Enter");
	const [said] = await page.takePosted();
	assert.ok(said?.type === "submit");
	assert.deepEqual([said.text, said.attached], [" !important", ["k"]]);
});

test("the same three are a menu in words with their keys, available only for a text that can be sent", async () => {
	const { page } = await openRunning();
	const menu = page.tab.locator("#send-menu");
	assert.equal(await menu.count(), 0);
	await page.tab.locator("#composer").fill("text");
	assert.equal(await page.tab.locator("#send").innerText(), "Queue");
	await menu.click();
	const ways = page.tab.getByRole("menuitem");
	assert.deepEqual(
		(await ways.allInnerTexts()).map((text) => text.replaceAll(/\s*\n\s*/g, " ")),
		["Send after this turn Enter", "Send now (steer) Ctrl+Enter", "Stop and send Ctrl+Shift+Enter"],
	);
	assert.deepEqual(await findViolations(page), []);
	await page.tab.keyboard.press("ArrowUp");
	const focused = () => page.tab.evaluate(() => document.activeElement?.id);
	assert.equal(await focused(), "stop-and-send");
	await page.tab.keyboard.press("Escape");
	await page.painted();
	assert.deepEqual([await ways.count(), await focused(), await page.takePosted()], [0, "composer", []]);
	await menu.click();
	await page.tab.locator("#queue").click();
	assert.deepEqual([await queued(page), await ways.count(), await focused()], [["text"], 0, "composer"]);
});

test("when the turn ends the first message is sent, and leaves the queue once it was accepted", async () => {
	const running = await openRunning("one", "two");
	await finish(running);
	const { page } = running;
	const [sent, ...others] = await page.takePosted();
	assert.ok(sent?.type === "submit" && others.length === 0);
	assert.deepEqual([sent.text, await queued(page)], ["one", ["one", "two"]]);
	await page.tell({ type: "submitted", id: sent.id });
	assert.deepEqual([await queued(page), await page.takePosted()], [["two"], []]);
});

test("after a stopped turn the queue waits for the user", async () => {
	const { page, thread } = await openRunning("one", "two");
	await page.publish(thread.next({ type: "turnCompleted", status: "interrupted" }));
	assert.deepEqual(await page.takePosted(), []);
	assert.match(
		(await page.tab.locator(".queue-head").textContent()) ?? "",
		/^2 messages in the queueSend next message$/,
	);
	await button(page, "two", "Send now").click();
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit" && sent.text === "two");
});

test("“Send next message” is a button, and sends the first one", async () => {
	const { page, thread } = await openRunning("one", "two");
	await page.publish(thread.next({ type: "turnCompleted", status: "interrupted" }));
	await page.takePosted();
	const next = page.tab.getByRole("button", { name: "Send next message" });
	await next.click();
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit" && sent.text === "one");
	assert.equal(await next.isEnabled(), false);
});

test("a refused message stays with its reason and is not sent again by itself", async () => {
	const running = await openRunning("one");
	await finish(running);
	const { page } = running;
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit");
	await page.tell({ type: "submitted", id: sent.id, problem: "The model is not set up." });
	assert.deepEqual([await queued(page), await page.takePosted()], [["one"], []]);
	assert.equal(await page.tab.locator(".composer [role=alert]").textContent(), "The model is not set up.");
});

test("queued messages can be taken back, deleted, moved and sent into the turn", async () => {
	const { page } = await openRunning("one", "two", "three", "four");
	await button(page, "three", "Move up").click();
	assert.deepEqual(await queued(page), ["one", "three", "two", "four"]);
	await button(page, "one", "Move down").click();
	await button(page, "four", "Delete").click();
	assert.deepEqual(await queued(page), ["three", "one", "two"]);
	assert.ok(await button(page, "three", "Move up").isDisabled());
	await button(page, "two", "Edit").click();
	assert.equal(await page.tab.locator("#composer").inputValue(), "two");
	await button(page, "one", "Send now").click();
	const [steer] = await page.takePosted();
	assert.ok(steer?.type === "steer" && steer.text === "one");
	await page.tell({ type: "submitted", id: steer.id });
	assert.deepEqual(await queued(page), ["three"]);
});

test("attachments of a queued message go with it, into the turn or after it, also after a reload", async () => {
	const running = await openRunning();
	const { page } = running;
	const chip = (key: string) => ({ key, kind: "file", label: `${key}.ts`, title: key }) as const;
	for (const key of ["a", "b"]) {
		await page.tell({ type: "compose", text: "", attach: [chip(key)], how: "write" });
		await press(page, `look at ${key}`, "Enter");
	}
	assert.equal(await page.tab.locator(".context-chip").count(), 0);
	await page.reload();
	await page.showThread(running.thread.events);
	await page.takePosted();
	await button(page, "look at b", "Send now").click();
	const [steered] = await page.takePosted();
	assert.ok(steered?.type === "steer");
	assert.deepEqual([steered.text, steered.attached], ["look at b", ["b"]]);
	await page.tell({ type: "submitted", id: steered.id });
	await finish(running);
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit");
	assert.deepEqual([sent.text, sent.attached], ["look at a", ["a"]]);
});

test("the queue survives a reload, without messages that the thread has accepted meanwhile", async () => {
	const { page, thread } = await openRunning("one", "two", "three");
	const ids = await page.tab.locator(".queued").evaluateAll((all) => all.map((one) => one.getAttribute("data-queued")));
	const [first = "", second = ""] = ids.map(String);
	await page.reload();
	thread.item({ kind: "userMessage", messageKind: "plain", text: "one", steered: true, clientId: first }).end();
	thread.add({ ...started(), clientId: second }).ask("two");
	await page.showThread(thread.events);
	assert.deepEqual(await queued(page), ["three"]);
	await page.tell({ type: "thread", threadId: "thread-9", title: "Nine" });
	assert.deepEqual(await queued(page), []);
	await page.tell({ type: "thread", threadId: THREAD, title: "Back" });
	assert.deepEqual(await queued(page), ["three"]);
});

test("a message to a running turn is no point to roll back to", async () => {
	const { page, thread } = await openRunning();
	await page.publish(
		thread.next({
			type: "itemCompleted",
			item: { kind: "userMessage", id: "item-9", messageKind: "plain", text: "also this", steered: true } as never,
		}),
	);
	const row = page.tab.locator(".row", { hasText: "also this" });
	assert.deepEqual(
		await row.getByRole("button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
		["Pin message", "Copy"],
	);
});

function started() {
	const envelope = { provider: "demo", model: "demo", window: 100_000, roots: [], trusted: true, tools: [] };
	return { type: "turnStarted", envelope } as const;
}

test("right-to-left text begins at the right wherever it is shown or typed", async () => {
	const text = "שלום, עולם";
	const { page, thread } = await openRunning(text);
	const request = QuestionRequest.parse({
		...{ threadId: THREAD, turnId: "turn-1", questionId: "q1", choices: ["answer", "dismiss"] },
		subject: { kind: "form", message: text, questions: [{ id: "q", text, options: [{ label: text }], input: "text" }] },
	});
	await page.tab.locator("#composer").fill(`/btw ${text}`);
	await page.tab.locator("#composer").press("Enter");
	const readStarts = (selectors: readonly string[]) =>
		page.tab.evaluate((all) => {
			const startsRight = (element: Element): boolean => {
				if (element instanceof HTMLTextAreaElement) return element.matches(":dir(rtl)");
				const range = document.createRange();
				range.selectNodeContents(element);
				return range.getBoundingClientRect().right > element.getBoundingClientRect().right - 4;
			};
			return all.filter((selector) => {
				const found = document.querySelector(selector);
				return found === null || !startsRight(found);
			});
		}, selectors);
	assert.deepEqual(await readStarts([".queued-text", ".aside-question"]), []);
	await page.publish(thread.next({ type: "questionAsked", request }));
	await page.tab.locator("[data-input=q]").fill(text);
	assert.deepEqual(await readStarts([".question > p.plain", "legend.plain", "[data-input=q]"]), []);
});
