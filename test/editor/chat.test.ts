import assert from "node:assert/strict";
import { createEditorSession } from "../support/editor-session.ts";
import { until } from "../support/editor-until.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession({ settings: { "security.workspace.trust.enabled": false } });

session.test("the first prompt is answered before one's eyes, and a running turn can be stopped", async (desk) => {
	const window = await desk.open({ folder: copySample(desk.editor.root) });
	await window.command("Vitrine: Open Chat");
	const chat = await window.chat();
	await chat.banner("demo").waitFor();

	await chat.ask("What is in this folder?");
	await chat.rows("toolCall").first().waitFor();
	await chat.waitForAnswer(20);
	await chat.waitForEnd();
	assert.equal(await chat.rows("userMessage").count(), 1);
	assert.equal(await chat.rows("turnEnd").count(), 0);
	assert.equal(await chat.composer.inputValue(), "");

	await chat.ask("Now a long answer, please");
	await chat.running.waitFor();
	await chat.waitForAnswer(100);
	const early = await chat.answer();
	await until("the answer goes on", async () => (await chat.answer()) !== early);
	assert.equal(await chat.running.count(), 1);
	await chat.stop.click();
	await chat.waitForEnd();
	await chat.rows("turnEnd").waitFor();
	assert.match(await chat.rows("turnEnd").innerText(), /stopped|interrupted/i);
	assert.equal(await chat.composer.isEnabled(), true);
	assert.deepEqual(window.pageErrors, []);
});

session.test(
	"the tree lists the threads, opens, renames, pins and archives them, and their words are found",
	async (desk) => {
		const window = await desk.open({ folder: copySample(desk.editor.root) });
		await window.command("Vitrine: Open Chat");
		const chat = await window.chat();
		await chat.ask("Tell me about apples");
		await chat.waitForEnd();
		await window.command("Vitrine: New Thread");
		await until("the new thread is empty", async () => (await chat.rows("userMessage").count()) === 0);
		await chat.ask("Tell me about candles");
		await chat.waitForEnd();

		await window.expandView("Threads");
		await window.treeRow("Threads", "candles").waitFor();
		await window.treeRow("Threads", "apples").click();
		// A thread opens at its end; what is out of view is not drawn.
		await until("the prompt about apples is shown", async () => {
			await chat.transcript.evaluate((scroller) => scroller.scrollTo(0, 0));
			return (await chat.rows("userMessage").filter({ hasText: "apples" }).count()) === 1;
		});
		assert.equal(await chat.rows("userMessage").count(), 1);
		assert.match(await chat.transcript.innerText(), /apples/);
		assert.doesNotMatch(await chat.transcript.innerText(), /candles/);

		const rows = window.page.getByRole("tree", { name: "Threads" }).getByRole("treeitem");
		const act = (row: string, name: string) => window.choose(name, window.treeRow("Threads", row), { button: "right" });
		await act("apples", "Rename Thread…");
		await window.answer("Rename Thread", "About pears");
		await window.treeRow("Threads", "About pears").waitFor();
		await window.treeRow("Threads", "pears").hover();
		await window.treeRow("Threads", "pears").getByRole("button", { name: "Pin Thread" }).click();
		await until("the pinned one comes first", async () => /pears/.test(await rows.first().innerText()));
		await act("candles", "Archive Thread");
		await until("the archived one is gone", async () => (await window.treeRow("Threads", "candles").count()) === 0);
		await window.screenshot("threads");
		await window.command("Vitrine: Search Threads…");
		await window.quickInput.fill("apples");
		await window.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "About pears" }).click();
		await window.quickInput.waitFor({ state: "hidden" });
	},
);
