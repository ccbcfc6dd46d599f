import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aPatch } from "../support/patch-files.ts";

const session = createEditorSession();

const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"files.autoSave": "off",
};

const LINES = ["one", "two", "three", "four", "five", "six", "seven"];
const PATCH = aPatch(
	...["*** Update File: a.txt", "@@", " one", "-two", "+TWO", "@@", " three", "-four", "+FOUR", "+4"],
	...["@@", " five", "-six", "+SIX", "*** Add File: new.txt", "+new"],
);

session.test(
	"open changes are marked, judged one by one in a dirty CRLF file, seen in one diff, and undone with their turn",
	async (desk) => {
		const model = await startFakeModel([calls("apply_patch", { patch: PATCH }), says("Changed."), says("Heard.")]);
		const before = `${LINES.join("\r\n")}\r\n`;
		const folder = desk.editor.folder({ "a.txt": before });
		const { window, chat } = await openThread(desk, { folder }, SETTINGS, model);
		const { page } = window;

		// The user has the file open and has typed into it.
		await page.getByRole("treeitem", { name: "a.txt", exact: true }).dblclick();
		await page.locator(".part.editor .monaco-editor .view-lines").first().click();
		await page.keyboard.press("Control+Home");
		await page.keyboard.type("zero\n");
		await chat.ask("Patch it.");
		await chat.waitForEnd();
		const lens = (name: string) => page.locator(".part.editor .codelens-decoration a", { hasText: name });
		await until("three changes are marked", async () => (await lens("Reject").count()) === 3);
		await chat.rows("changes").getByText("2 files changed").waitFor();
		await chat.frame.locator('[data-bar="changes"]').getByText("4 open changes in 2 files").waitFor();
		await window.screenshot("open changes");

		// One more line by hand, then the middle change goes and nothing else does.
		await page.locator(".part.editor .monaco-editor .view-lines").first().click();
		await page.keyboard.press("Control+Home");
		await page.keyboard.type("mine\n");
		await until("the marks moved", async () => (await lens("Reject").count()) === 3);
		for (const key of ["F7", "F7", "Alt+r"]) await page.keyboard.press(key);
		await until("two changes are left", async () => (await lens("Reject").count()) === 2);
		assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), before, "what is unsaved stays unsaved");
		await page.keyboard.press("Control+S");
		const rest = ["mine", "zero", "one", "TWO", "three", "four", "five", "SIX", "seven"].join("\r\n");
		await until("the file is saved", () => readFileSync(join(folder, "a.txt"), "utf8") === `${rest}\r\n`);

		await window.command("Vitrine: Review Open Changes");
		const diff = page.locator(".part.editor .multiDiffEntry");
		await until("both files are in the diff", async () => (await diff.count()) === 2);
		await page.locator(".part.editor .comment-range-glyph.comment-thread").first().waitFor();
		await window.screenshot("open changes in one diff");
		await page.locator(".part.editor .comment-range-glyph.comment-thread").first().click();
		const widget = page.locator(".part.editor .review-widget").first();
		await widget.getByText("Tell the agent about this change").click();
		await page.keyboard.type("Why in capitals?");
		await widget.getByRole("button", { name: "Comment on This Change" }).click();
		await chat.ask("Look at what I said.");
		await chat.waitForEnd();
		const told = JSON.stringify(model.requests.at(-1)?.body);
		assert.match(told, /a\.txt \(rejected\):[\s\S]*FOUR/);
		assert.match(told, /\(commented\):[\s\S]*The user says: Why in capitals\?/);
		assert.equal(await page.locator(".part.panel").isVisible(), false, "the editor's list of comments stays closed");

		await chat.rows("changes").locator('[data-action="undoFiles"]').click();
		const dialog = page.locator(".monaco-dialog-box");
		await dialog.getByText("Changed by somebody else since, so left as it is: a.txt.").waitFor();
		await dialog.getByText("Is deleted: new.txt.").waitFor();
		await window.screenshot("restore with a conflict");
		await dialog.getByRole("button", { name: "Restore", exact: true }).click();
		await until("the new file is gone", () => !existsSync(join(folder, "new.txt")));
		assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), `${rest}\r\n`);
		await window.command("Vitrine: Take Last Restore Back");
		await dialog.getByRole("button", { name: "Restore", exact: true }).click();
		await until("the new file is back", () => existsSync(join(folder, "new.txt")));
		assert.deepEqual(window.pageErrors, []);
	},
);
