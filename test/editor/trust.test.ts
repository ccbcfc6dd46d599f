import assert from "node:assert/strict";
import { createEditorSession } from "../support/editor-session.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession();

session.test(
	"Restricted Mode reads and answers, says so, and ends without a reload when trust is granted",
	async (desk) => {
		const window = await desk.open({ folder: copySample(desk.editor.root) });
		await window.command("Vitrine: Open Chat");
		const chat = await window.chat();
		await chat.banner("restricted").waitFor();
		assert.match(await chat.banner("restricted").innerText(), /Restricted Mode: reading and answering only/);
		await chat.ask("What is in this folder?");
		await chat.waitForAnswer(20);
		await chat.waitForEnd();

		await chat.frame.evaluate(() => document.body.setAttribute("data-same-page", "yes"));
		await window.grantTrust();
		await chat.banner("restricted").waitFor({ state: "detached" });
		assert.equal(await chat.frame.locator("body").getAttribute("data-same-page"), "yes");
		assert.equal(await chat.rows("userMessage").count(), 1);
	},
);

session.test("without a folder the chat still answers and says what is missing", async (desk) => {
	const window = await desk.open("none");
	await window.command("Vitrine: Open Chat");
	const chat = await window.chat();
	await chat.banner("noFolder").waitFor();
	await chat.ask("Hello");
	await chat.waitForAnswer(5);
	await chat.waitForEnd();
	assert.equal(await chat.rows("turnEnd").count(), 0);
});
