import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";

const session = createEditorSession();
const SETTINGS = { "security.workspace.trust.enabled": false, "git.enabled": true };
const NOBODY = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
const FILES = {
	"retry.ts": "export const first = 1;\nexport const second = 2;\nexport const third = 3;\n",
	"src/deep/entry-point.ts": "export {};\n",
	"data.json": '{ "a": 1,, }\n',
};

session.test(
	"the selection on its chip is what the model gets, a file is mentioned by keys, a problem goes to be fixed and changes to be reviewed",
	async (desk) => {
		const model = await startFakeModel(() => says("Done."));
		const folder = desk.editor.folder(FILES);
		const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...NOBODY, ...args]);
		git("init", "--quiet");
		git("add", ".");
		git("commit", "--quiet", "--message=all");
		writeFileSync(join(folder, "retry.ts"), FILES["retry.ts"].replace("third = 3", "third = 4"));
		const { window, chat } = await openThread(desk, { folder }, SETTINGS, model);
		const { page } = window;
		const lastRequest = () => JSON.stringify(model.requests.at(-1)?.body);
		const openFile = async (name: string) => {
			await page.getByRole("treeitem", { name, exact: true }).dblclick();
			await page.locator(".part.editor .tab.active").filter({ hasText: name }).waitFor();
			await page.locator(".part.editor .monaco-editor .view-lines").first().click();
		};
		const chip = (kind: string) => chat.frame.locator(`.context-chip[data-kind="${kind}"]`);

		await openFile("retry.ts");
		await page.keyboard.press("Control+Home");
		await page.keyboard.press("Shift+ArrowDown");
		await page.keyboard.press("Shift+ArrowDown");
		await chip("selection").getByText("retry.ts:1-2").waitFor();
		await chat.ask("What is this?");
		await chat.waitForEnd();
		const told = lastRequest();
		assert.match(told, /Selected, [^"]*retry\.ts lines 1 to 2:\\nexport const first = 1;\\nexport const second = 2;/);
		assert.match(told, /Active file: [^"]*retry\.ts/);
		assert.doesNotMatch(told, /third/);
		await window.screenshot("context chips");

		// A file that no walk had looked at before.
		await chat.composer.focus();
		await page.keyboard.type("Compare with @entpt");
		await chat.frame.locator('#mention-list [role="option"]').filter({ hasText: "entry-point.ts" }).waitFor();
		await window.screenshot("mention list");
		await page.keyboard.press("Enter");
		const written = async () => (await chat.composer.inputValue()) === "Compare with @src/deep/entry-point.ts ";
		await until("the file stands in the prompt", written);
		await chip("file").getByText("entry-point.ts").waitFor();
		await chip("selection").getByRole("button").click();
		await chat.composer.focus();
		await page.keyboard.press("Enter");
		await until("the mention is sent", () => lastRequest().includes("Named by the user"));
		assert.match(lastRequest(), /Named by the user:\\n- [^"]*src\/deep\/entry-point\.ts/);
		await chat.waitForEnd();

		await openFile("data.json");
		await chip("problems").waitFor();
		await page.keyboard.press("Control+Home");
		await window.command("Vitrine: Fix Problem");
		await until("the problem is sent", () => lastRequest().includes("Fix the attached problem"));
		assert.match(lastRequest(), /Problems:\\n- [^"]*data\.json:1: /);
		await chat.waitForEnd();
		await page.locator(".part.editor .monaco-editor .view-lines").first().click();
		await page.keyboard.press("Control+Home");
		await page.keyboard.press("F8");
		await page.keyboard.press("Escape");
		await page.keyboard.press("Control+.");
		const before = model.requests.length;
		await page.locator(".action-widget").getByText("Fix with Vitrine").click();
		await until("the quick fix is sent", () => model.requests.length > before);
		assert.match(lastRequest(), /Fix the attached problem/);
		await chat.waitForEnd();

		await window.command("Vitrine: Review Uncommitted Changes");
		await until("the changes are sent", () => lastRequest().includes("Review the attached uncommitted changes"));
		assert.match(lastRequest(), /uncommitted changes, files: 1[\s\S]*\+export const third = 4;/);
		await chat.waitForEnd();
		assert.deepEqual(window.pageErrors, []);
	},
);
