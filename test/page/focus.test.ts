import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { GUARD_MS } from "../../media/model/approval/press-guard.ts";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { anApproval } from "./an-approval.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { aLongThread } from "./long-thread.ts";
import { usePages } from "./open-page.ts";
import { scrollThrough } from "./scroll-through.ts";

const pages = usePages();

interface Running {
	readonly page: ChatPage;
	readonly thread: AThread;
}

async function openRunning(): Promise<Running> {
	const page = await pages.open();
	const thread = new AThread().turn().ask("Work");
	await page.showThread(thread.events);
	return { page, thread };
}

function readFocus(page: ChatPage): Promise<string | undefined> {
	return page.tab.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);
}

async function pressOn(page: ChatPage, name: string): Promise<void> {
	const button = page.tab.getByRole("button", { name, exact: true }).first();
	await button.focus();
	await button.press("Enter");
	await page.painted();
}

async function queue(page: ChatPage, text: string): Promise<void> {
	await page.tab.locator("#composer").fill(text);
	await page.tab.locator("#composer").press("Enter");
	await page.painted();
}

const QUESTION = QuestionRequest.parse({
	...{ threadId: THREAD, turnId: "turn-1", questionId: "q1" },
	subject: { kind: "loop", name: "read_file", title: "Read a.ts", times: 5 },
	choices: ["continue", "stop"],
});

/** Everything that leaves the dock because of a key or an event. */
const GONE: Readonly<Record<string, (running: Running) => Promise<void>>> = {
	"a problem that is dismissed": async ({ page }) => {
		await page.tell({ type: "problem", message: "It failed." });
		await pressOn(page, "Dismiss");
	},
	"a queued message that is deleted": async ({ page }) => {
		await queue(page, "later");
		await pressOn(page, "Delete");
	},
	"a queued message that is sent now": async ({ page }) => {
		await queue(page, "later");
		await pressOn(page, "Send now");
	},
	"a queued message that cannot be moved further": async ({ page }) => {
		await queue(page, "first");
		await queue(page, "second");
		await page.tab.getByRole("button", { name: "Move up" }).last().focus();
		await page.tab.keyboard.press("Enter");
		await page.painted();
	},
	"a side question that is dismissed": async ({ page }) => {
		await queue(page, "/btw why?");
		await pressOn(page, "Dismiss");
	},
	"the menu of ways to send, when the turn ends": async ({ page, thread }) => {
		await page.tab.locator("#composer").fill("text");
		await pressOn(page, "More ways to send");
		await page.publish(...thread.end().events.slice(-1));
	},
	"a question that is answered": async ({ page, thread }) => {
		await page.publish(thread.next({ type: "questionAsked", request: QUESTION }));
		await page.passTime(GUARD_MS);
		await pressOn(page, "Keep Going");
		await page.publish(thread.next({ type: "questionAnswered", questionId: "q1", choice: "continue" }));
	},
	"changes that are kept": async ({ page }) => {
		const file = { path: "/a.ts", name: "a.ts", operation: "update", added: 1, removed: 0 } as const;
		const changes = { files: 1, hunks: 1, runWithBuild: [], list: [file] };
		await page.tell({ type: "panel", panel: aPanel({ changes }) });
		await pressOn(page, "Keep changes in a.ts");
		await page.tell({ type: "panel", panel: aPanel() });
	},
	"a banner about settings that are taken": async ({ page }) => {
		const next = aNextTurn({ threadId: THREAD, offered: "model" });
		await page.tell({ type: "panel", panel: aPanel({ next }) });
		await page.tab.locator("[data-action=useSettings]").focus();
		await page.tell({ type: "panel", panel: aPanel() });
	},
};

for (const [what, remove] of Object.entries(GONE)) {
	test(`the focus goes to the prompt from ${what}`, async () => {
		const running = await openRunning();
		await remove(running);
		assert.equal(await readFocus(running.page), "composer");
	});
}

test("the focus goes to the prompt from a removed image, and stays where it is while others write", async () => {
	const { page, thread } = await openRunning();
	await page.tab.locator("#composer").evaluate((input) => {
		const transfer = new DataTransfer();
		const canvas = document.createElement("canvas");
		const [, data = ""] = canvas.toDataURL("image/png").split(",");
		const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
		transfer.items.add(new File([bytes], "one.png", { type: "image/png" }));
		input.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: transfer }));
	});
	await page.tab.locator(".thumbnail").waitFor();
	await page.tab.locator("#stop").focus();
	await page.publish(...thread.answer("An answer.").events.slice(-1));
	assert.equal(await readFocus(page), "stop");
	await pressOn(page, "Remove one.png");
	assert.equal(await readFocus(page), "composer");
});

test("the focus stays in the thread when its element disappears, and in the panel when another thread opens", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("one").add({ type: "turnCompleted", status: "interrupted" });
	await page.showThread(thread.events);
	await page.tab.locator("[data-action=retry]").focus();
	const start = thread.events.length;
	await page.publish(...thread.turn().events.slice(start));
	assert.equal(await readFocus(page), "transcript");
	await page.showThread(aLongThread(200).events);
	await page.tab.locator("[data-row]").last().focus();
	await page.tab.locator("#transcript").evaluate((list) => list.scrollTo(0, 0));
	await page.painted();
	assert.equal(await readFocus(page), "transcript");
	const other = "thread-2";
	await page.tab.locator("[data-row]").first().focus();
	await page.tell(
		{ type: "thread", threadId: other, title: "" },
		{ type: "events", threadId: other, events: new AThread().turn().ask("two").end().events, loading: false },
	);
	assert.notEqual(await readFocus(page), "BODY");
});

/** As the editor does it with a list, a dialog or another part of the window. */
async function leaveAndReturn(page: ChatPage, meanwhile = async () => {}): Promise<void> {
	await page.tab.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
	await meanwhile();
	await page.tab.evaluate(() => window.dispatchEvent(new FocusEvent("focus")));
	await page.painted();
}

test("the focus that comes back to the panel is where it was, or in the prompt if that is gone", async () => {
	const { page, thread } = await openRunning();
	await page.tell({ type: "panel", panel: aPanel({ next: aNextTurn({ threadId: THREAD }) }) });
	await page.tab.locator("[data-chip=model]").focus();
	await leaveAndReturn(page);
	assert.equal(await page.tab.evaluate(() => document.activeElement?.getAttribute("data-chip")), "model");
	await page.tab.locator("#stop").focus();
	await leaveAndReturn(page, () => page.publish(...thread.end().events.slice(-1)));
	assert.equal(await readFocus(page), "composer");
	await page.tab.locator("[data-kind=userMessage]").focus();
	await page.tab.locator(".prompt-actions button").first().focus();
	await leaveAndReturn(page);
	assert.notEqual(await readFocus(page), "BODY");
});

test("on an approval, the focus comes back to Deny", async () => {
	const { page, thread } = await openRunning();
	await page.publish(thread.next({ type: "approvalRequested", request: anApproval() }));
	await scrollThrough(page, ".approvals");
	await page.passTime(GUARD_MS);
	await page.tab.locator("[data-decision=allow]").focus();
	await leaveAndReturn(page);
	assert.equal(await page.tab.evaluate(() => document.activeElement?.getAttribute("data-decision")), "deny");
});

test("a page without the focus does not take it when an element disappears", async () => {
	const { page } = await openRunning();
	await page.tell({ type: "problem", message: "It failed." });
	await page.tab.evaluate(() => {
		document.hasFocus = () => false;
	});
	await pressOn(page, "Dismiss");
	assert.equal(await readFocus(page), "BODY");
});
