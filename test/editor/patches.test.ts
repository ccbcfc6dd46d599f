import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";

const session = createEditorSession();

const FILES = {
	"closed.txt": "one\ntwo\nthree\n",
	"clean.txt": "one\ntwo\nthree\n",
	"dirty.txt": "one\ntwo\nthree\n",
	"windows.txt": "one\r\ntwo\r\nthree",
	"changed.txt": "one\ntwo\nthree\n",
};
const TRUSTED = { "security.workspace.trust.enabled": false, "files.autoSave": "off" };
const twoToTwo = (path: string) => [`*** Update File: ${path}`, "@@", "-two", "+2"];

session.test("a patch changes closed, clean, unsaved and CRLF files each as its user would want", async (desk) => {
	const folder = desk.editor.folder(FILES);
	const onDisk = (name: keyof typeof FILES) => readFileSync(join(folder, name), "utf8");
	const patched = ["closed.txt", "clean.txt", "dirty.txt", "windows.txt"];
	const steps = [
		() => calls("read_file", { path: "changed.txt" }),
		() => {
			writeFileSync(join(folder, "changed.txt"), "one\ntwo\nthree, says the user\n");
			return calls("apply_patch", { patch: aPatch(...patched.flatMap(twoToTwo)) });
		},
		() => calls("apply_patch", { patch: aPatch(...twoToTwo("changed.txt")) }),
	];
	const model = await startFakeModel(() => steps.shift()?.() ?? says("Done."));
	const { window, chat } = await openThread(desk, { folder }, TRUSTED, model);
	await openFile(window, "clean.txt");
	await openFile(window, "dirty.txt");
	await window.page.keyboard.press("Control+Home");
	await window.page.keyboard.type("mine, ");
	await until("the user's words are in the editor", async () => (await textOf(window)).startsWith("mine, one"));

	await chat.ask("Patch them");
	await chat.rows("agentMessage").filter({ hasText: "Done." }).waitFor();
	await chat.waitForEnd();
	assert.equal(onDisk("closed.txt"), "one\n2\nthree\n");
	assert.equal(onDisk("clean.txt"), "one\n2\nthree\n", "a clean document is saved");
	assert.equal(onDisk("dirty.txt"), FILES["dirty.txt"], "what the user has not saved stays unsaved");
	assert.equal(onDisk("windows.txt"), "one\r\n2\r\nthree");
	assert.equal(onDisk("changed.txt"), "one\ntwo\nthree, says the user\n", "never over what the user changed meanwhile");
	await until("the patch is in the unsaved document", async () => (await textOf(window)).startsWith("mine, one\n2\n"));
	const told = bodyOf(model.requests.at(-1) ?? assert.fail()).input.flatMap(({ output }) =>
		output === undefined ? [] : [String(output)],
	);
	assert.match(told.join("\n"), /dirty\.txt had unsaved changes: .*commands see the old text/);
	assert.match(told.at(-1) ?? "", /changed since you read it[\s\S]*3: three, says the user/);
	await window.screenshot("patched documents");

	await openFile(window, "clean.txt");
	await until("the patch is in the clean document", async () => (await textOf(window)).startsWith("one\n2\n"));
	await window.page.keyboard.press("Control+z");
	await until("undo takes it back", async () => (await textOf(window)).startsWith("one\ntwo\n"));
	assert.equal(onDisk("clean.txt"), "one\n2\nthree\n");
});

async function openFile(window: EditorWindow, name: string): Promise<void> {
	await window.page.getByRole("treeitem", { name, exact: true }).dblclick();
	await window.page.locator(".tab.active").filter({ hasText: name }).waitFor();
	await window.page.locator(".part.editor .monaco-editor .view-lines").first().click();
}

/** What the active editor shows. */
async function textOf(window: EditorWindow): Promise<string> {
	const lines = window.page.locator(".part.editor .monaco-editor .view-line");
	const drawn = await lines.evaluateAll((all) =>
		all.map((line) => ({ top: Number.parseFloat((line as HTMLElement).style.top), text: line.textContent })),
	);
	const inOrder = drawn.sort((a, b) => a.top - b.top);
	return inOrder.map(({ text }) => text.replaceAll("\u00a0", " ")).join("\n");
}
