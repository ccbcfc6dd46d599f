import assert from "node:assert/strict";
import { test } from "node:test";
import { aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

test("a side question can be asked while a turn runs, is shown as a card, and can be dismissed", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").events);
	await page.takePosted();
	const composer = page.tab.locator("#composer");
	const card = page.tab.locator(".aside");
	await composer.fill("/btw");
	await composer.press("Escape");
	await composer.fill("/btw why so slow?");
	await composer.press("Enter");
	const [asked, ...others] = await page.takePosted();
	assert.ok(asked?.type === "askAside");
	assert.deepEqual([asked.text, others, await composer.inputValue()], ["why so slow?", [], ""]);
	await page.tell({ type: "aside", id: "of another question", answer: { text: "No.", model: "m" } });
	await page.tell({ type: "aside", id: asked.id, answer: { text: "It **reads** first.", model: "m", cost: 0.02 } });
	assert.match(
		(await card.textContent()) ?? "",
		/^why so slow\?It reads first\..*Not part of the thread · m · \$0\.02$/,
	);
	assert.equal(await card.locator("strong").textContent(), "reads");
	await card.getByRole("button", { name: "Dismiss" }).click();
	assert.equal(await card.count(), 0);
	assert.deepEqual(await page.takePosted(), []);
});

test("a side question that gets no answer is in the prompt again, unless something else is written there by then", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").events);
	await page.takePosted();
	const composer = page.tab.locator("#composer");
	for (const [written, left] of [
		["", "/btw why so slow?"],
		["Go on", "Go on"],
	] as const) {
		await composer.fill("/btw why so slow?");
		await composer.press("Enter");
		const [asked] = await page.takePosted();
		assert.ok(asked?.type === "askAside");
		await composer.fill(written);
		await page.tell({ type: "aside", id: asked.id, problem: "No model is set up." });
		assert.equal(await composer.inputValue(), left);
		assert.match((await page.tab.locator(".aside").textContent()) ?? "", /why so slow\?No model is set up\./);
	}
});

test("links, files and code in the answer to a side question work as in the thread", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").events);
	await page.takePosted();
	await page.tab.locator("#composer").fill("/btw where?");
	await page.tab.locator("#composer").press("Enter");
	const [asked] = await page.takePosted();
	assert.ok(asked?.type === "askAside");
	const text = "See [the page](https://example.com/a) and `src/a.ts:3`.\n\n```js\nlet a;\n```";
	await page.tell({ type: "aside", id: asked.id, answer: { text, model: "m" } });
	const card = page.tab.locator(".aside");
	await card.locator("[data-link]").click();
	await card.locator("[data-link]").press("Enter");
	await card.locator("[data-file]").click();
	await card.locator("[data-action=copy]").click({ force: true });
	assert.deepEqual(await page.takePosted(), [
		{ type: "openLink", url: "https://example.com/a" },
		{ type: "openLink", url: "https://example.com/a" },
		{ type: "openFile", path: "src/a.ts", line: 3 },
		{ type: "copy", text: "let a;" },
	]);
});

const FINDINGS = [
	{ severity: "error", path: "src/a.ts", line: 3, title: "Off by one", reason: "The last item is left out." },
	{ severity: "info", path: "src/b.ts", line: 9, title: "Unused", reason: "Nothing calls it." },
];

test("review findings are a list: each opens its place, can be sent as a prompt, or be dismissed for good", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("Review");
	thread.item({
		...{ kind: "toolCall", callId: "c", name: "report_findings", title: "2 findings", status: "completed" },
		...{ arguments: JSON.stringify({ findings: FINDINGS }), output: "The user sees them." },
	} as never);
	await page.showThread(thread.end().events);
	await page.takePosted();
	const card = page.tab.locator(".findings");
	assert.match((await card.textContent()) ?? "", /^Review: 2 findings.*Error: Off by one src\/a\.ts:3The last item/);
	await card.locator(".mono").first().click();
	await card.locator("[data-action=dismissFinding]").last().click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "openFile", path: "src/a.ts", line: 3 },
		{ type: "dismissFinding", path: "src/b.ts", title: "Unused" },
	]);
	await page.tell({ type: "panel", panel: aPanel({ dismissed: ["src/b.ts: unused"] }) });
	assert.match((await card.textContent()) ?? "", /^Review: 1 finding1 dismissed/);
	await card.locator("[data-action=fixFinding]").click();
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit");
	assert.equal(sent.text, "Fix this finding of the review: src/a.ts:3: Off by one. The last item is left out.");
});
