import assert from "node:assert/strict";
import { test } from "node:test";
import { showInvisible } from "../../media/model/words/invisible.ts";
import { aContext, anItem, ITEMS } from "./a-context.ts";
import type { ChatPage } from "./chat-page.ts";
import { findViolations } from "./find-violations.ts";
import { usePages } from "./open-page.ts";
import { THEMES, type ThemeName } from "./themes.ts";

const pages = usePages();

async function openInspector(theme: ThemeName, width = 900): Promise<ChatPage> {
	const page = await pages.open({ page: "inspector", theme, width });
	await page.tell({ type: "context", context: aContext(ITEMS, { firstUncached: 4 }) });
	return page;
}

for (const theme of Object.keys(THEMES) as ThemeName[]) {
	test(`axe finds no violation in the inspector in the ${theme} theme`, async () => {
		const page = await openInspector(theme);
		for (const line of await page.tab.locator(".item-line").all()) await line.click();
		await page.tell({ type: "itemText", revision: 1, index: 2, text: "word\n".repeat(200), left: 12 });
		await page.tab.locator("#policy summary").click();
		assert.deepEqual([await findViolations(page), await page.violations(), page.errors], [[], [], []]);
	});
}

test("the inspector shows each item with its cost, and names the one that breaks the cache", async () => {
	const page = await openInspector("dark");
	const text = await page.tab.locator("main").innerText();
	assert.match(text, /About 2,300 tokens of 4,000/);
	assert.match(text, /About 2,100 tokens can be reused from the cache \(91%\)/);
	assert.match(text, /First difference: permissions/);
	assert.match(text, /Compacts automatically at 3,600 tokens/);
	assert.deepEqual(await page.tab.locator("h2").allInnerTexts(), [
		"Sent with every request\n1,600 tokens",
		"Turn 1\n500 tokens",
		"Added by the next turn\n200 tokens",
	]);
	assert.equal(
		await page.tab.locator("[data-cached=false] .item-facts").innerText(),
		"developer\nfrom host\nfirst change\n≈ 200\ntokens, estimated",
	);
});

test("the inspector says why a request was not read from the cache", async () => {
	const page = await pages.open({ page: "inspector" });
	const items = ITEMS.map((item) => ({ ...item, cached: false }));
	const cacheMiss = { reason: "model", part: "model" } as const;
	await page.tell({ type: "context", context: aContext(items, { firstUncached: 0, cacheMiss }) });
	assert.equal((await page.tab.locator("#cache").innerText()).trim(), "Cache miss caused by: a different model.");
	const states = await page.tab.locator(".item-state").allInnerTexts();
	assert.deepEqual(states, Array(ITEMS.length).fill("not cached"), "no item is the one that changed");
});

test("the keyboard alone reaches the first change and opens its text", async () => {
	const page = await openInspector("light");
	await page.tab.getByRole("button", { name: "Show it" }).focus();
	await page.tab.keyboard.press("Enter");
	await page.tab.waitForFunction(() => document.activeElement?.id === "item-4");
	await page.tab.keyboard.press("Enter");
	await page.waitForPosted("readItem");
	await page.tell({ type: "itemText", revision: 1, index: 4, text: "Mode: \u202Eylno-daer", left: 0 });
	assert.equal(await page.tab.locator("pre").innerText(), "Mode: \\u{202E}ylno-daer");
	assert.equal(await page.tab.locator("#item-4").getAttribute("aria-expanded"), "true");
});

test("a prompt or message can be pinned and unpinned in its row; other items have no such button", async () => {
	const page = await pages.open({ page: "inspector" });
	const items = [
		anItem(0, "userMessage", { turn: 1, pinned: true }),
		anItem(1, "userMessage", { turn: 2, pinned: false }),
		anItem(2, "userMessage", { turn: 2, pinned: true, steered: true }),
	];
	await page.tell({ type: "context", context: aContext([...items, anItem(3, "toolOutput", { turn: 2 })]) });
	const pins = page.tab.getByRole("button", { name: /^Pin / });
	const shown = await pins.evaluateAll((all) =>
		all.map((one) => [one.getAttribute("aria-label"), one.getAttribute("aria-pressed")]),
	);
	assert.deepEqual(shown, [
		["Pin prompt", "true"],
		["Pin prompt", "false"],
		["Pin message", "true"],
	]);
	await page.takePosted();
	for (const pin of await pins.all()) await pin.click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "pin", revision: 1, index: 0, pinned: false },
		{ type: "pin", revision: 1, index: 1, pinned: true },
		{ type: "pin", revision: 1, index: 2, pinned: false },
	]);
});

test("a tool output or answer can be muted and unmuted in its row, which shows it; other items have no such button", async () => {
	const page = await pages.open({ page: "inspector" });
	const items = [
		anItem(0, "userMessage", { turn: 1, pinned: false }),
		anItem(1, "toolOutput", { turn: 1, mutable: { at: 4, chars: 9_000, muted: false } }),
		anItem(2, "agentMessage", { turn: 1, mutable: { at: 5, chars: 80, muted: true } }),
	];
	await page.tell({ type: "context", context: aContext(items) });
	const buttons = page.tab.getByRole("button", { name: "Mute", exact: true });
	const pressed = await buttons.evaluateAll((all) => all.map((one) => one.getAttribute("aria-pressed")));
	assert.deepEqual(pressed, ["false", "true"]);
	assert.deepEqual(await page.tab.locator(".item-muted").allInnerTexts(), ["muted"]);
	await page.takePosted();
	for (const button of await buttons.all()) await button.click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "mute", revision: 1, index: 1, muted: true },
		{ type: "mute", revision: 1, index: 2, muted: false },
	]);
	assert.deepEqual([await findViolations(page), page.errors], [[], []]);
});

test("each server, skill or agent folder, plugin and hook file has a switch with its cost, and names are escaped", async () => {
	const page = await pages.open({ page: "inspector" });
	const sources = [
		{ kind: "server", name: "docs", tokens: 420, isOff: false },
		{ kind: "skills", name: "/w/.claude/skills", tokens: 1, isOff: true },
		{ kind: "hooks", name: "/w/<b>\u202Ehooks.json", tokens: 0, isOff: false },
		{ kind: "agents", name: "/w/.claude/agents", tokens: 12, isOff: false },
	] as const;
	await page.tell({ type: "context", context: aContext(ITEMS, { sources }) });
	const rows = page.tab.locator("#sources li");
	assert.deepEqual(
		(await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim()),
		[
			"MCP server docs about 420 tokens per request",
			"Skills /w/.claude/skills off, would add about 1 token per request",
			`Hooks ${showInvisible("/w/<b>\u202Ehooks.json")} no tokens`,
			"Agents /w/.claude/agents about 12 tokens per request",
		],
	);
	await page.takePosted();
	for (const box of await rows.getByRole("checkbox").all()) await box.click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "switchSource", revision: 1, index: 0, isOff: true },
		{ type: "switchSource", revision: 1, index: 1, isOff: false },
		{ type: "switchSource", revision: 1, index: 2, isOff: true },
		{ type: "switchSource", revision: 1, index: 3, isOff: true },
	]);
	assert.deepEqual([await findViolations(page), page.errors], [[], []]);
});

test("items are shown by their origin and kind", async () => {
	const page = await openInspector("dark");
	const shown = () =>
		page.tab.locator("li[data-item]").evaluateAll((all) => all.map((one) => one.getAttribute("data-item")));
	await page.tab.locator("#origin").selectOption("host");
	assert.deepEqual(await shown(), ["instructions", "tools", "permissions"]);
	await page.tab.locator("#kind").selectOption("permissions");
	assert.deepEqual(await shown(), ["permissions"]);
	await page.tab.locator("#origin").selectOption("tool");
	assert.deepEqual(await shown(), []);
	await page.tab.getByRole("button", { name: "Show it" }).click();
	assert.equal((await shown()).length, ITEMS.length);
});

test("one can step back and forth through the sent requests, and inexact ones say so", async () => {
	const page = await openInspector("dark");
	await page.takePosted();
	const [back, on] = ["Previous request", "Next request"].map((name) =>
		page.tab.getByRole("button", { name, exact: true }),
	);
	assert.ok(back && on);
	const title = page.tab.locator("h1");
	const show = (number: number, isExact = true) =>
		page.tell({ type: "context", context: aContext(ITEMS, { request: { number, of: 2, isExact } }) });
	assert.deepEqual([await title.innerText(), await on.isDisabled()], ["The next request", true]);
	await back.click();
	await show(2);
	assert.deepEqual([await title.innerText(), await page.tab.locator("#inexact").count()], ["Request 2 of 2", 0]);
	await back.click();
	await show(1, false);
	assert.deepEqual([await back.isDisabled(), await page.tab.locator("#inexact").count()], [true, 1]);
	const compare = page.tab.getByRole("button", { name: "Compare with previous request" });
	assert.equal(await compare.isDisabled(), true, "nothing came before the first");
	await on.click();
	await show(2);
	await compare.click();
	await page.tab.getByRole("button", { name: "Show as sent (JSON)" }).click();
	await on.click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "showRequest", request: -1 },
		{ type: "showRequest", request: 1 },
		{ type: "showRequest", request: 2 },
		{ type: "compare" },
		{ type: "showRaw" },
		{ type: "showRequest" },
	]);
});

test("instructions of an untrusted workspace are listed as seen and not followed", async () => {
	const page = await openInspector("dark");
	assert.equal(await page.tab.locator("#not-followed").count(), 0);
	await page.tell({ type: "context", context: aContext(ITEMS, { notFollowed: ["/repo/app/AGENTS.md"] }) });
	assert.equal(
		await page.tab.locator("#not-followed").innerText(),
		"Not used because the workspace is not trusted: /repo/app/AGENTS.md",
	);
});

test("a thread of ten thousand turns is drawn from its end, no wider than the tab", async () => {
	const page = await pages.open({ page: "inspector", width: 320 });
	const items = Array.from({ length: 10_000 }, (_, index) => anItem(index, "userMessage", { turn: index + 1 }));
	await page.tell({ type: "context", context: aContext(items) });
	assert.equal(await page.tab.locator(".group").count(), 100);
	assert.match((await page.tab.locator("h2").last().textContent()) ?? "", /^Turn 10,000/);
	await page.tab.getByRole("button", { name: "Show 100 earlier" }).click();
	assert.equal(await page.tab.locator(".group").count(), 200);
	const overflow = await page.tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
	assert.ok(overflow <= 0, `${overflow} pixels too wide`);
});
