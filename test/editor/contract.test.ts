import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { EditorSettings } from "../support/editor.ts";
import type { EditorChat } from "../support/editor-chat.ts";
import type { Desk } from "../support/editor-desk.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { linesOf, newLines, openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { calls, says } from "../support/fake-model-steps.ts";

const session = createEditorSession();

const TRUSTED = { "security.workspace.trust.enabled": false };

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
		const { window, chat, model, play } = await openThread(desk, { workspace }, TRUSTED);
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
		assert.match(newLines(model, 2, "user/environment").join(), new RegExp(`cwd="${folders[1]}"`));
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
		await page
			.locator("#cache")
			.getByText(/First difference: permissions/)
			.waitFor();
		await page.locator(".group").last().getByText("Added by the next turn").waitFor();
		const added = page.locator('.group:last-of-type [data-item="permissions"]');
		await added.locator(".item-line").click();
		await added.locator("pre").getByText("Full Access").first().waitFor();
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

test(
	"settings that became wider are offered: one press takes them, another keeps the thread as it is, also after a reload",
	session.alone(async (desk) => {
		await desk.context.grantPermissions(["clipboard-read", "clipboard-write"]);
		const strict = { ...TRUSTED, "files.autoSave": "off", "vitrine.permissions.mode": "readOnly" };
		const folder = desk.editor.folder({ "a.txt": "a" });
		const { window, chat, model } = await openThread(desk, { folder }, strict);
		await askAndWait(chat, "first");
		await window.statusItem(/Read Only/).waitFor();

		await changeSettings(desk, window, { "vitrine.permissions.mode": "workspaceWrite" });
		const offer = chat.banner("offered");
		await offer.getByText("Settings changed: Workspace. This thread still uses its own.").waitFor();
		await window.screenshot("settings are offered");
		await askAndWait(chat, "second");
		assert.deepEqual(newLines(model, 2, "developer/permissions"), [], "nothing was taken yet");
		await offer.getByRole("button", { name: "Use Settings" }).click();
		await offer.waitFor({ state: "detached" });
		await window.statusItem(/Workspace/).waitFor();
		await askAndWait(chat, "third");
		assert.match(newLines(model, 3, "developer/permissions").join(), /Workspace/);

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
		assert.deepEqual(newLines(model, 4, "developer/permissions"), []);
		assert.equal(await again.banner("offered").count(), 0);
		assert.deepEqual(window.pageErrors, []);
	}),
);

/** Changes the user's settings in the editor, as a user would: it does not watch their file for what others write. */
async function changeSettings({ editor }: Desk, window: EditorWindow, changed: EditorSettings): Promise<void> {
	const settings = { ...(await editor.readUserSettings()), ...changed };
	await window.command("Preferences: Open User Settings (JSON)");
	await window.focusText("settings.json");
	await window.press("Control+A");
	await window.cursor(/\d selected/).waitFor();
	// Pasted: the editor completes what is typed.
	await window.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(settings))})`);
	await window.press("Control+V");
	await window.page.locator(".part.editor .tab.active.dirty").filter({ hasText: "settings.json" }).waitFor();
	await window.press("Control+S");
	await until("they are saved", async () => isDeepStrictEqual(await editor.readUserSettings(), settings));
}

async function askAndWait(chat: EditorChat, prompt: string): Promise<void> {
	await chat.ask(prompt);
	await chat.waitForAnswer(5);
	await chat.waitForEnd();
}
