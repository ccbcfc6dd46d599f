import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "./a-thread.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

test("arrows move through the list of commands, Tab completes a command, Enter runs it", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").answer("Done").end().events);
	await page.takePosted();
	const composer = page.tab.locator("#composer");
	const active = () => page.tab.locator("#slash-list .list-option[aria-selected=true] .mono").innerText();
	await composer.fill("/co");
	assert.equal(await active(), "/compact [focus]");
	await composer.press("ArrowDown");
	await page.painted();
	assert.equal(await active(), "/context");
	assert.equal(
		await composer.getAttribute("aria-activedescendant"),
		await page.tab.locator("#slash-list .list-option[aria-selected=true]").getAttribute("id"),
	);
	await composer.press("ArrowDown");
	await page.painted();
	assert.equal(await active(), "/compact [focus]");
	await composer.press("ArrowUp");
	await composer.press("Enter");
	assert.equal(await composer.inputValue(), "");
	await composer.fill("/comp");
	await composer.press("Enter");
	assert.equal(await composer.inputValue(), "/compact ");
	await composer.pressSequentially("the tests");
	await composer.press("Enter");
	await composer.fill("/comp");
	await composer.press("Tab");
	assert.equal(await composer.inputValue(), "/compact ");
	assert.equal(await page.tab.evaluate(() => document.activeElement?.id), "composer");
	await composer.fill("/compact");
	await composer.press("Enter");
	assert.deepEqual(await page.takePosted(), [
		{ type: "run", command: "showContext" },
		{ type: "compact", focus: "the tests" },
		{ type: "compact" },
	]);
});

test("what is written after a command that takes nothing stays in the prompt, with the reason, also after /help", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").answer("Done").end().events);
	await page.takePosted();
	const composer = page.tab.locator("#composer");
	for (const name of ["status", "help"]) {
		await composer.fill(`/${name} me with the tests`);
		await composer.press("Enter");
		await page.painted();
		assert.equal(await composer.inputValue(), `/${name} me with the tests`);
		assert.equal(await page.tab.getByText(`/${name} takes no arguments.`).isVisible(), true, name);
	}
	await composer.fill("/help");
	await composer.press("Enter");
	await page.painted();
	assert.equal(await composer.inputValue(), "/");
	assert.equal(await page.tab.locator("#slash-list").isVisible(), true);
	assert.deepEqual(await page.takePosted(), []);
});

test("a sent prompt is scrolled into view, wherever the reader was and whatever was open", async () => {
	const page = await pages.open();
	const thread = new AThread();
	for (let turn = 0; turn < 30; turn++) {
		thread.turn().ask(`Prompt ${turn}`);
		thread.item({
			kind: "toolCall",
			callId: `c${turn}`,
			name: "read_file",
			arguments: "{}",
			title: "Read a.ts",
			status: "completed",
			output: "text",
		} as never);
		thread.answer("word ".repeat(200)).end();
	}
	await page.showThread(thread.events);
	await page.tab.locator("#transcript").evaluate((list) => list.scrollTo(0, 0));
	await page.painted();
	await page.tab.locator("#transcript .fold-line").first().click();
	await page.painted();
	await page.tab.locator("#composer").fill("The new one");
	await page.tab.locator("#composer").press("Enter");
	await page.painted();
	await page.publish(thread.turn().events.at(-1) as never, thread.ask("The new one").events.at(-1) as never);
	assert.equal(await page.tab.getByText("The new one").last().isVisible(), true);
	assert.ok((await page.distanceToEnd()) < 2);
});
