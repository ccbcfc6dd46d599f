import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { EditorChat } from "../support/editor-chat.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { linesOf, newLines, openThread } from "../support/editor-thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";

const session = createEditorSession();

test(
	"another mode and another folder, picked in the editor, are what the next request says; full access asks before it deletes much",
	session.alone(async (desk) => {
		const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`many/${index}.txt`, "kept"]));
		const folders = [desk.editor.folder({ "a.txt": "a" }), desk.editor.folder({ "b.txt": "b", ...many })];
		const workspace = join(desk.editor.root, "two.code-workspace");
		writeFileSync(
			workspace,
			JSON.stringify({ folders: folders.map((path, index) => ({ path, name: `part-${index}` })) }),
		);
		const trusted = { "security.workspace.trust.enabled": false };
		const { window, chat, model, play } = await openThread(desk, { workspace }, trusted);
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
		await entry.locator("[data-action=showContextSent]").click();
		const diff = window.page.locator(".part.editor .multiDiffEntry");
		await diff.filter({ hasText: "permissions.md" }).first().waitFor();
		await diff.filter({ hasText: "environment.md" }).first().waitFor();
		await window.screenshot("told as a diff");

		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Full Access").click();
		const dialog = window.page.locator(".monaco-dialog-box");
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await dialog.waitFor({ state: "detached" });
		assert.equal(await window.statusItem(/full access/).count(), 0);
		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Full Access").click();
		await dialog.getByRole("button", { name: "Give Full Access" }).click();
		await window.statusItem(/full access/).waitFor();
		await window.screenshot("full access");

		await window.command("Vitrine: Show Context Inspector");
		const page = await window.frameWith('body[data-view="vitrine.context"] .item-line');
		await page
			.locator("#cache")
			.getByText(/First change: permissions/)
			.waitFor();
		await page.locator(".group").last().getByText("What the next turn would add").waitFor();
		const added = page.locator('.group:last-of-type [data-item="permissions"]');
		await added.locator(".item-line").click();
		await added.locator("pre").getByText("full access").first().waitFor();
		await window.screenshot("context inspector");

		play(calls("run_command", { command: ["rm", "-rf", "many"] }), says("Kept."));
		await chat.ask("Tidy up");
		const card = chat.frame.locator(".approval");
		await card.getByText("Deletes up to 25 files:").waitFor();
		await card
			.getByRole("list", { name: "What is deleted" })
			.getByText(join(folders[1] ?? "", "many"))
			.waitFor();
		await window.screenshot("a mass deletion in full access");
		await (await chat.question()).decide("deny");
		await chat.rows("agentMessage").filter({ hasText: "Kept." }).waitFor();
		assert.equal(readdirSync(join(folders[1] ?? "", "many")).length, 25);
		assert.deepEqual(window.pageErrors, []);
	}),
);

async function askAndWait(chat: EditorChat, prompt: string): Promise<void> {
	await chat.ask(prompt);
	await chat.waitForAnswer(5);
	await chat.waitForEnd();
}
