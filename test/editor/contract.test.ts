import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { EditorChat } from "../support/editor-chat.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { changeSettings } from "../support/editor-settings.ts";
import { linesOf, newLines, openThread } from "../support/editor-thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";

const session = createEditorSession();

const STRICT = {
	"security.workspace.trust.enabled": false,
	"files.autoSave": "off",
	"vitrine.permissions.mode": "readOnly",
};

const inWorkspace = session.share(async (desk) => {
	const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`many/${index}.txt`, "kept"]));
	const folders = [desk.editor.folder({ "a.txt": "a" }), desk.editor.folder({ "b.txt": "b", ...many })];
	const workspace = join(desk.editor.root, "two.code-workspace");
	writeFileSync(
		workspace,
		JSON.stringify({ folders: folders.map((path, index) => ({ path, name: `part-${index}` })) }),
	);
	return { ...(await openThread(desk, { workspace }, STRICT)), second: folders[1] ?? "" };
});

test(
	"the next request states a mode and folder picked in the editor; Full Access asks before a mass deletion",
	inWorkspace(async ({ window, chat, model, play, second }) => {
		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Workspace").click();
		await window.statusItem(/Workspace/).waitFor();
		await askAndWait(chat, "first");
		assert.match(linesOf(model, 1, "developer/permissions").join(), /Workspace/);

		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Read Only").waitFor();
		await window.screenshot("change permissions");
		await window.quickPick("Read Only").click();
		await window.statusItem(/Read Only/).waitFor();
		await window.command("Vitrine: Change Folder…");
		await window.quickPick("part-1").click();
		await window.quickInput.waitFor({ state: "hidden" });
		await askAndWait(chat, "second");
		assert.match(newLines(model, 2, "developer/permissions").join(), /Read Only/);
		assert.match(newLines(model, 2, "user/environment").join(), new RegExp(`cwd="${second}"`));
		const entry = chat.rows("turnSummary").last();
		await entry.locator(".fold-line").click();
		assert.match(await entry.innerText(), /permissions: Workspace, network off → Read Only, network off/);
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
		assert.equal(await window.statusItem(/Full Access/).count(), 0);
		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Full Access").click();
		await dialog.getByRole("button", { name: "Grant Full Access" }).click();
		await window.statusItem(/Full Access/).waitFor();
		await window.screenshot("full access");

		await window.command("Vitrine: Show Context Inspector");
		const page = await window.frameWith('body[data-view="vitrine.context"] .item-line');
		await page.locator("#cache-miss").getByText("Cache miss caused by: changed tools.").waitFor();
		await page.locator(".group").last().getByText("Added by the next turn").waitFor();
		const added = page.locator('.group:last-of-type [data-item="permissions"]');
		await added.locator(".item-line").click();
		await added.locator("pre").getByText("Full Access").first().waitFor();
		await window.screenshot("context inspector");

		play(calls("run_command", { command: ["rm", "-rf", "many"] }), says("Kept."));
		await chat.ask("Tidy up");
		const card = chat.frame.locator(".approval");
		await card.getByText("Deletes up to 25 files:").waitFor();
		await card.getByRole("list", { name: "What is deleted" }).getByText(join(second, "many")).waitFor();
		await window.screenshot("a mass deletion in full access");
		await (await chat.question()).decide("deny");
		await chat.rows("agentMessage").filter({ hasText: "Kept." }).waitFor();
		assert.equal(readdirSync(join(second, "many")).length, 25);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"wider settings are offered: one press applies them, another keeps the thread's own, also after a reload",
	inWorkspace(async ({ desk, window, chat, model }) => {
		desk.leave();
		const before = model.requests.length;
		const newIn = (request: number) => newLines(model, before + request, "developer/permissions");
		await askAndWait(chat, "first");
		await window.statusItem(/Read Only/).waitFor();

		await changeSettings(desk, window, { "vitrine.permissions.mode": "workspaceWrite" });
		const offer = chat.banner("offered");
		await offer.getByText("Settings changed: Workspace. This thread still uses its own.").waitFor();
		await window.screenshot("settings are offered");
		await askAndWait(chat, "second");
		assert.deepEqual(newIn(2), [], "nothing was taken yet");
		await offer.getByRole("button", { name: "Use Settings" }).click();
		await offer.waitFor({ state: "detached" });
		await window.statusItem(/Workspace/).waitFor();
		await askAndWait(chat, "third");
		assert.match(newIn(3).join(), /Workspace/);

		await changeSettings(desk, window, { "vitrine.permissions.network": "on" });
		await offer.getByText("Settings changed: Network On. This thread still uses its own.").waitFor();
		await offer.getByRole("button", { name: "Keep" }).click();
		await offer.waitFor({ state: "detached" });
		await window.reload();
		const again = await window.chat();
		await window.statusItem(/Workspace, network off/).waitFor();
		await again.chip("permissions").getByText("network off").waitFor();
		assert.equal(await again.banner("offered").count(), 0);
		await askAndWait(again, "fourth");
		assert.deepEqual(newIn(4), []);
		assert.equal(await again.banner("offered").count(), 0);
		assert.deepEqual(window.pageErrors, []);
	}),
);

async function askAndWait(chat: EditorChat, prompt: string): Promise<void> {
	await chat.ask(prompt);
	await chat.waitForAnswer(5);
	await chat.waitForEnd();
}
