import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";

const session = createEditorSession();

const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"files.autoSave": "off",
	"vitrine.permissions.mode": "ask",
	"vitrine.notifications.done": "always",
	"vitrine.notifications.waiting": "always",
};
const FILES = { "retry.ts": "export const first = 1;\nexport const second = 2;\n", ".env": "TOKEN=hidden\n" };
const ANSWER = 'Look at `retry.ts:2`.\n\n```ts title="made.ts"\nexport const made = 3;\n```\n';

session.test(
	"an answer leads to its files, its code goes where it belongs, and what the user runs is told to the model",
	async (desk) => {
		const script = [says(ANSWER), says("I have read it."), calls("run_command", { command: "true" }), says("Ran.")];
		const model = await startFakeModel(() => script.shift() ?? says("Done."));
		const folder = desk.editor.folder(FILES);
		await desk.context.grantPermissions(["clipboard-read", "clipboard-write"]);
		const { window, chat } = await openThread(desk, { folder }, SETTINGS, model);
		const { page } = window;
		const lastRequest = () => JSON.stringify(model.requests.at(-1)?.body);
		const chip = (kind: string) => chat.frame.locator(`.context-chip[data-kind="${kind}"]`);
		const editorText = () => page.locator(".part.editor .monaco-editor .view-lines").first();

		await chat.ask("Where is it?");
		await chat.waitForEnd();
		await window.toast("Vitrine has answered.").first().waitFor();
		await chat.rows("agentMessage").locator("[data-file]").click();
		await window.statusItem("Ln 2, Col 1").waitFor();
		await chat.rows("agentMessage").locator('[data-action="insert"]').click();
		await editorText().getByText("export const made = 3;export const second = 2;").waitFor();
		await chat.rows("agentMessage").locator('[data-action="apply"]').click();
		await page.locator(".part.editor .tab.active.dirty").filter({ hasText: "made.ts" }).waitFor();
		assert.equal(existsSync(join(folder, "made.ts")), false, "nothing is written before the user saves");
		await page.keyboard.press("Control+S");
		const made = () => existsSync(join(folder, "made.ts")) && readFileSync(join(folder, "made.ts"), "utf8");
		await until("the file is made", () => made() === "export const made = 3;\n");
		await window.screenshot("code of an answer");

		// A key is not attached by being selected.
		await page.getByRole("treeitem", { name: ".env", exact: true }).dblclick();
		await page.locator(".part.editor .tab.active").filter({ hasText: ".env" }).waitFor();
		await editorText().click();
		await page.keyboard.press("Control+A");
		await chip("activeFile").getByText(".env").waitFor();
		assert.equal(await chip("selection").count(), 0);

		await window.command("Terminal: Create New Terminal");
		await page.locator(".terminal.xterm").waitFor();
		await page.locator(".terminal.xterm").click();
		await page.keyboard.type("echo from-the-$((6*7)); touch done.txt\n");
		await until("the terminal has run it", () => existsSync(join(folder, "done.txt")));
		await page.evaluate("navigator.clipboard.writeText('mine')");
		await window.command("Vitrine: Add Terminal Output to Chat");
		await chip("terminal").waitFor();
		assert.equal(await page.evaluate("navigator.clipboard.readText()"), "mine", "the clipboard is as it was");

		// Typed by the user, so nobody asks, although the mode is to ask before every command.
		await chat.composer.fill("!echo typed > typed.txt; echo shown-$((6*7))");
		await chat.frame.getByText("Runs in the sandbox.").waitFor();
		await chat.composer.press("Enter");
		const card = chat.rows("toolCall").filter({ hasText: "run by you" });
		await card.getByText(/exit 0/).waitFor();
		await chat.waitForEnd();
		assert.equal(readFileSync(join(folder, "typed.txt"), "utf8"), "typed\n");
		await window.toast("Vitrine: your command has ended.").first().waitFor();
		assert.equal(model.requests.length, 1, "no model was asked");
		await card.locator(".fold-line").click();
		await card.locator('[data-action="showInTerminal"]').click();
		await page.locator(".terminal-tabs-entry").getByText("Run echo typed").waitFor();
		await window.screenshot("a command of the user's own");

		await chat.ask("What do you see?");
		await chat.waitForEnd();
		assert.match(lastRequest(), /<user_shell_command exit=\\"0\\">\\n\$ echo typed[^<]*shown-42/);
		assert.match(lastRequest(), /output of the terminal[\s\S]*from-the-42/);
		assert.doesNotMatch(lastRequest(), /TOKEN=hidden/);

		await chat.ask("Run it.");
		await window
			.toast(/wait|allow|question/i)
			.first()
			.waitFor();
		await window.screenshot("told that a question waits");
		await chat.press('[data-decision="allow"]');
		await chat.waitForEnd();
		await chat.rows("agentMessage").filter({ hasText: "Ran." }).waitFor();
		assert.deepEqual(window.pageErrors, []);
	},
);
