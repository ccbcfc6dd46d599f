import assert from "node:assert/strict";
import { test } from "node:test";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();
let page: ChatPage;
const TURNS = 300;

/** A long thread with nothing else on it, and the focus in the prompt. */
async function openThread(): Promise<void> {
	page = await pages.reuse();
	await page.tell({ type: "thread", threadId: null, title: "" });
	const thread = new AThread();
	for (let turn = 1; turn <= TURNS; turn++) {
		thread.turn().ask(`prompt ${turn}`).answer(`An answer.\n\nIt names \`src/a.ts:${turn}\` and \`value\`.`).end();
	}
	thread.add({ type: "usage", ...usage() });
	await page.showThread(thread.events);
	await page.takePosted();
	await page.tab.locator("#composer").focus();
}

function usage() {
	const tokens = { input: 10, cached: 0, output: 1, reasoning: 0, total: 11 };
	return { last: tokens, total: tokens, percentLeft: 62, window: 1_000, baseline: 0, estimated: true } as const;
}

function count(): Promise<string | null> {
	return page.tab.locator(".find-count").textContent();
}

function inView(text: string): Promise<boolean> {
	return page.tab.getByText(text, { exact: true }).evaluate((element) => {
		const { top, bottom } = element.getBoundingClientRect();
		const view = document.getElementById("transcript")?.getBoundingClientRect();
		return view !== undefined && top >= view.top && bottom <= view.bottom;
	});
}

test("text far from the view is found, shown and highlighted, and Esc returns the focus to the prompt", async () => {
	await openThread();
	await page.tab.keyboard.press("Control+f");
	await page.tab.keyboard.type("PROMPT 7");
	await page.painted();
	// 7, and 70 to 79.
	assert.equal(await count(), "11 of 11");
	await page.tab.keyboard.press("Enter");
	await page.painted();
	assert.equal(await count(), "1 of 11");
	assert.equal(await inView("prompt 7"), true);
	const coloured = await page.tab.evaluate(() => [...(CSS.highlights.get("found-now") ?? [])].map(String));
	assert.deepEqual(coloured, ["prompt 7"]);
	await page.tab.keyboard.press("Shift+Enter");
	await page.painted();
	assert.equal(await inView("prompt 79"), true);
	await page.tab.keyboard.press("Escape");
	await page.painted();
	assert.equal(await page.tab.locator("#find").count(), 0);
	assert.equal(await page.tab.evaluate(() => document.activeElement?.id), "composer");
	assert.equal(await page.tab.evaluate(() => CSS.highlights.size), 0);
});

test("Alt+Up and Alt+Down move the focus from prompt to prompt", async () => {
	await openThread();
	await page.tab.locator("#transcript").press("End");
	await page.painted();
	const visited: string[] = [];
	for (const key of ["Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowDown"]) {
		await page.tab.keyboard.press(key);
		await page.painted();
		visited.push(await page.tab.evaluate(() => document.activeElement?.querySelector(".plain")?.textContent ?? ""));
	}
	assert.deepEqual(visited, ["prompt 300", "prompt 299", "prompt 298", "prompt 299"]);
});

test("a file that an answer names opens at its line; other code does not", async () => {
	await openThread();
	await page.tab.locator("#transcript").press("End");
	await page.painted();
	await page.tab.locator("[data-file]").last().click();
	assert.deepEqual(await page.takePosted(), [{ type: "openFile", path: "src/a.ts", line: TURNS }]);
	assert.equal(await page.tab.locator("code[role=link]", { hasText: "value" }).count(), 0);
});

test("a prompt shows when it was sent", async () => {
	await openThread();
	assert.match((await page.tab.locator(".prompt").last().getAttribute("title")) ?? "", /1970/);
});

test("the meter opens to show what fills the window, where compaction begins, and a button to compact now", async () => {
	await openThread();
	const counted = { tokens: 400, effectiveWindow: 1_000 };
	await page.tell({ type: "panel", panel: aPanel({ next: aNextTurn({ threadId: THREAD, context: counted }) }) });
	await page.tab.locator("#context-meter").click();
	assert.deepEqual(await page.takePosted(), [{ type: "readContext" }]);
	const item = { index: 0, role: "user", origin: "user", tokens: 400, estimated: true, cached: false } as const;
	const items = [{ ...item, kind: "userMessage", preview: "" }] as const;
	const context = { revision: 0, model: "m", effectiveWindow: 1_000, autoCompactLimit: 900, tokens: 400, items };
	await page.tell({ type: "context", context: { ...context, policy: [], policyDigest: "" } });
	const words = (await page.tab.locator(".breakdown").innerText()).replaceAll(/\s*\n\s*/g, "\n");
	assert.deepEqual(words.split("\n"), [
		"About 400 tokens of 1,000, 60% left",
		"your messages",
		"400 tokens, 40%",
		"Compacts automatically at 900 tokens.",
		"Show Context",
		"Compact",
	]);
	await page.tab.locator(".breakdown [data-action=compact]").click();
	assert.deepEqual(await page.takePosted(), [{ type: "run", command: "compact" }]);
	assert.equal(await page.tab.locator("#context-meter").getAttribute("aria-expanded"), "true");
});

test("text in folded steps is found, and their line opens", async () => {
	const thread = new AThread().turn().ask("Where?");
	const call = { kind: "toolCall", callId: "c", name: "read_file", title: "Read", arguments: "{}" } as const;
	for (const output of ["hay", "a needle", "hay"]) thread.item({ ...call, status: "completed", output });
	page = await pages.open();
	await page.showThread(thread.answer("There.").end().events);
	assert.deepEqual(await page.rowWords(), ["Where?", "Read 3 files", "There."]);
	await page.tab.locator("#composer").focus();
	await page.tab.keyboard.press("Control+f");
	await page.tab.keyboard.type("needle");
	await page.painted();
	assert.equal(await page.tab.locator("[data-kind=steps] button").getAttribute("aria-expanded"), "true");
	const coloured = await page.tab.evaluate(() => [...(CSS.highlights.get("found-now") ?? [])].map(String));
	assert.deepEqual(coloured, ["needle"]);
});
