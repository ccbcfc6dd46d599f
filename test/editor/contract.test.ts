import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EditorChat } from "../support/editor-chat.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { inputLines } from "../support/request-page.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession();

session.test("trust granted to an open thread is told to the model with its next prompt, and shown", async (desk) => {
	const { window, chat, model } = await openThread(desk, { folder: copySample(desk.editor.root) });
	await askAndWait(chat, "first");
	assert.match(linesOf(model, 1, "developer/permissions").join(), /read-only/);
	assert.match(linesOf(model, 1, "user/environment").join(), /not trusted/i);

	await window.grantTrust();
	await chat.banner("restricted").waitFor({ state: "detached" });
	await askAndWait(chat, "second");
	assert.match(newLines(model, 2, "developer/permissions").join(), /workspace-write/);
	assert.match(newLines(model, 2, "user/environment").join(), /The user trusts this workspace/);
	assert.match(await chat.rows("context").last().innerText(), /permissions: read-only.* → workspace-write, no network/);
	assert.equal(model.requests.length, 2);
});

session.test(
	"another mode and another folder, picked in the editor, are what the next request says; full access asks before it deletes much",
	async (desk) => {
		const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`many/${index}.txt`, "kept"]));
		const folders = [desk.editor.folder({ "a.txt": "a" }), desk.editor.folder({ "b.txt": "b", ...many })];
		const workspace = join(desk.editor.root, "two.code-workspace");
		writeFileSync(
			workspace,
			JSON.stringify({ folders: folders.map((path, index) => ({ path, name: `part-${index}` })) }),
		);
		const steps = [
			says("First."),
			says("Second."),
			calls("run_command", { command: ["rm", "-rf", "many"] }),
			says("Kept."),
		];
		const trusted = { "security.workspace.trust.enabled": false };
		const { window, chat, model } = await openThread(desk, { workspace }, trusted, await startFakeModel(steps));
		await askAndWait(chat, "first");
		assert.match(linesOf(model, 1, "developer/permissions").join(), /workspace-write/);

		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Read Only").waitFor();
		await window.screenshot("change permissions");
		await window.quickPick("Read Only").click();
		await window.statusItem(/read-only/).waitFor();
		await window.command("Vitrine: Change Folder…");
		await window.quickPick("part-1").click();
		await window.quickInput.waitFor({ state: "hidden" });
		await askAndWait(chat, "second");
		assert.match(newLines(model, 2, "developer/permissions").join(), /read-only/);
		assert.match(newLines(model, 2, "user/environment").join(), new RegExp(`cwd="${folders[1]}"`));
		const entry = chat.rows("context").last();
		assert.match(await entry.innerText(), /permissions: workspace-write, no network → read-only, no network/);
		await entry.locator("[data-action=showTold]").click();
		const diff = window.page.locator(".part.editor .multiDiffEntry");
		await diff.filter({ hasText: "permissions.md" }).first().waitFor();
		await diff.filter({ hasText: "environment.md" }).first().waitFor();
		await window.screenshot("told as a diff");

		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Full Access").click();
		const dialog = window.page.locator(".monaco-dialog-box");
		await dialog.getByRole("button", { name: "Cancel" }).click();
		assert.equal(await window.statusItem(/full access/).count(), 0);
		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Full Access").click();
		await dialog.getByRole("button", { name: "Give Full Access" }).click();
		await window.statusItem(/full access/).waitFor();
		await window.screenshot("full access");

		await window.command("Vitrine: Show Context Inspector");
		const page = await window.frameWith('body[data-view="vitrine.context"] .item-line');
		assert.match(await page.locator("#cache").innerText(), /First change: permissions/);
		assert.match(await page.locator(".group").last().innerText(), /What the next turn would add/);
		const added = page.locator('.group:last-of-type [data-item="permissions"]');
		await added.locator(".item-line").click();
		await added.locator("pre").getByText("full access").first().waitFor();
		await window.screenshot("context inspector");

		await chat.ask("Tidy up");
		const card = chat.frame.locator(".approval");
		await card.getByText("Deletes up to 25 files:").waitFor();
		await card
			.getByRole("list", { name: "What is deleted" })
			.getByText(join(folders[1] ?? "", "many"))
			.waitFor();
		await window.screenshot("a mass deletion in full access");
		await chat.press("[data-decision=deny]");
		await chat.rows("agentMessage").filter({ hasText: "Kept." }).waitFor();
		assert.equal(readdirSync(join(folders[1] ?? "", "many")).length, 25);
		assert.deepEqual(window.pageErrors, []);
	},
);

session.test(
	"a question waits where it is seen, is answered for good by a rule, and goes with its turn",
	async (desk) => {
		const patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch";
		const run = () => calls("run_command", { command: ["true"] });
		const model = await startFakeModel([run(), says("Once."), run(), says("Twice."), calls("apply_patch", { patch })]);
		const trusted = { "security.workspace.trust.enabled": false, "vitrine.permissions.mode": "ask" };
		const folder = copySample(desk.editor.root);
		const { window, chat } = await openThread(desk, { folder }, trusted, model);
		await window.expandView("Activity");
		await chat.ask("Run it");
		await window.treeRow("Activity", "Run true").waitFor();
		await window.screenshot("approval pending");
		await chat.press("[data-decision=allowRule]");
		await window.treeRow("Activity", "Run true").waitFor({ state: "detached" });
		await chat.rows("agentMessage").filter({ hasText: "Once." }).waitFor();
		const saved = JSON.parse(readFileSync(join(desk.editor.userData, "User", "settings.json"), "utf8"));
		assert.deepEqual(saved["vitrine.permissions.rules"], [{ prefix: ["true"] }]);

		await chat.ask("Run it again");
		await chat.rows("agentMessage").filter({ hasText: "Twice." }).waitFor();
		await chat.waitForEnd();
		await chat.ask("Write a file");
		await window.treeRow("Activity", "new.txt").waitFor();
		await window.command("Vitrine: Stop");
		await chat.waitForEnd();
		await window.treeRow("Activity", "new.txt").waitFor({ state: "detached" });
		assert.equal(existsSync(join(folder, "new.txt")), false);
	},
);

async function askAndWait(chat: EditorChat, prompt: string): Promise<void> {
	await chat.ask(prompt);
	await chat.waitForAnswer(5);
	await chat.waitForEnd();
}

function linesOf(model: FakeModel, request: number, start: string): readonly string[] {
	const sent = model.requests[request - 1];
	assert.ok(sent, `request ${request} did not come`);
	return inputLines(sent).filter((line) => line.startsWith(start));
}

/** Of these lines, the ones that the request before did not have. */
function newLines(model: FakeModel, request: number, start: string): readonly string[] {
	return linesOf(model, request, start).slice(linesOf(model, request - 1, start).length);
}
