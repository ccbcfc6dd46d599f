import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread, startOver } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";

const session = createEditorSession();

const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"files.autoSave": "off",
	"[ini]": { "files.encoding": "shiftjis" },
};
const LINES = ["one", "two", "three", "four", "five", "six", "seven"];
const FILES = {
	"closed.txt": "one\ntwo\nthree\n",
	"clean.txt": "one\ntwo\nthree\n",
	"dirty.txt": "one\ntwo\nthree\n",
	"windows.txt": "one\r\ntwo\r\nthree",
	"changed.txt": "one\ntwo\nthree\n",
	"a.txt": `${LINES.join("\r\n")}\r\n`,
};
const twoToTwo = (path: string) => [`*** Update File: ${path}`, "@@", "-two", "+2"];
const PATCH = aPatch(
	...["*** Update File: a.txt", "@@", " one", "-two", "+TWO", "@@", " three", "-four", "+FOUR", "+4"],
	...["@@", " five", "-six", "+SIX", "*** Add File: Makefile", "+new:"],
);

const inFolder = session.share(async (desk) => {
	const folder = desk.editor.folder(FILES);
	return { ...(await openThread(desk, { folder }, SETTINGS)), folder };
});

test(
	"pending changes are marked, judged singly in a dirty CRLF file, shown in one diff, and undone with their turn",
	inFolder(async ({ window, chat, model, play, folder }) => {
		const { page } = window;
		play(calls("apply_patch", { patch: PATCH }), says("Changed."), says("Heard."), says("Again."));
		// The user has the file open and has typed into it.
		await window.openFile("a.txt");
		await page.keyboard.type("zero\n");
		await until("the user's line is in the editor", async () =>
			(await textOf(window, "a.txt")).startsWith("zero\none\n"),
		);
		await chat.ask("Patch it.");
		await chat.waitForEnd();
		const lens = (name: string) => page.locator(".part.editor .codelens-decoration a", { hasText: name });
		await until("three changes are marked", async () => (await lens("Reject").count()) === 3);
		await chat.rows("turnSummary").getByText("2 files changed").waitFor();
		await chat.frame.locator('[data-bar="changes"]').getByText("4 pending changes in 2 files").waitFor();
		await chat.frame.locator('[data-bar="changes"]').getByLabel("Runs with your build or tests: Makefile").waitFor();
		await window.screenshot("open changes");

		// One more line by hand, then the middle change goes and nothing else does.
		await window.focusText("a.txt");
		await page.keyboard.type("mine\n");
		await until("the changes are found where they stand by now", async () => {
			await window.focusText("a.txt");
			await window.press("F7");
			await until("the cursor has moved", async () => (await window.cursor().innerText()) !== "Ln 1, Col 1");
			return (await window.cursor().innerText()).startsWith("Ln 4, ");
		});
		await window.press("F7");
		await window.cursor("Ln 6, ").waitFor();
		await window.press("Shift+Alt+r");
		await window.cursor("Ln 8, ").waitFor();
		await until("two changes are left", async () => (await lens("Reject").count()) === 2);
		assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), FILES["a.txt"], "what is unsaved stays unsaved");
		await page.keyboard.press("Control+S");
		const rest = ["mine", "zero", "one", "TWO", "three", "four", "five", "SIX", "seven"].join("\r\n");
		await until("the file is saved", () => readFileSync(join(folder, "a.txt"), "utf8") === `${rest}\r\n`);

		await window.command("Vitrine: Review Pending Changes");
		const diff = page.locator(".part.editor .multiDiffEntry");
		await until("both files are in the diff", async () => (await diff.count()) === 2);
		await page.locator(".part.editor .comment-range-glyph.comment-thread").first().waitFor();
		await until("the diff says which file runs with the build", async () => {
			const notes = page.locator(".part.editor .multiDiffEntry .view-lines span");
			const drawn = await notes.evaluateAll((all) => all.map((note) => getComputedStyle(note, "::after").content));
			return drawn.filter((text) => text.includes("Runs with your build or tests")).length === 1;
		});
		await window.screenshot("open changes in one diff");
		await page.locator(".part.editor .comment-range-glyph.comment-thread").first().click();
		const widget = page.locator(".part.editor .review-widget").first();
		await widget.getByText("Comment on this change", { exact: true }).click();
		await widget.locator(".monaco-editor.focused").waitFor();
		await page.keyboard.type("Why in capitals?");
		await widget.getByText("Why in capitals?").waitFor();
		await widget.getByRole("button", { name: "Comment on This Change" }).click();
		// It is there until it is sent, and can be edited and deleted.
		await widget.locator(".comment-title", { hasText: "Why in capitals?" }).waitFor();
		await widget.locator(".comment-title", { hasText: "Why in capitals?" }).hover();
		await widget.getByRole("button", { name: "Edit Comment" }).click();
		await widget.getByRole("button", { name: "Cancel" }).click();
		await widget.locator(".comment-title", { hasText: "Why in capitals?" }).waitFor();
		await chat.ask("Look at what I said.");
		await chat.waitForEnd();
		const told = JSON.stringify(model.requests.at(-1)?.body);
		assert.match(told, /a\.txt \(rejected\):[\s\S]*FOUR/);
		assert.match(told, /\(commented\):[\s\S]*The user says: Why in capitals\?/);

		await chat.rows("turnSummary").locator('[data-action="undoFiles"]').click();
		const dialog = page.locator(".monaco-dialog-box");
		await dialog.getByText("Changed since, not touched: a.txt").waitFor();
		await dialog.getByText("Will be deleted: Makefile").waitFor();
		await window.screenshot("restore with a conflict");
		await dialog.getByRole("button", { name: "Restore", exact: true }).click();
		await until("the new file is gone", () => !existsSync(join(folder, "Makefile")));
		assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), `${rest}\r\n`);
		await window.command("Vitrine: Undo Last Restore");
		await dialog.getByRole("button", { name: "Undo", exact: true }).click();
		await until("the new file is back", () => existsSync(join(folder, "Makefile")));

		// A prompt that is edited in its place replaces its turn, and Undo brings that one back.
		const prompts = () => chat.rows("userMessage").locator(".prompt > .plain").allInnerTexts();
		const before = await prompts();
		await chat.composer.press("ArrowUp");
		await chat.frame.locator(".prompt-editor textarea:focus").fill("Look again.");
		await chat.frame.locator(".prompt-editor textarea").press("Enter");
		await until("the edited prompt is sent", async () => (await prompts()).at(-1) === "Look again.");
		await chat.waitForEnd();
		assert.deepEqual(await prompts(), [...before.slice(0, -1), "Look again."]);
		await chat.rows("rolledBack").getByRole("button", { name: "Undo" }).click();
		await until("the old prompt is back", async () => (await prompts()).at(-1) === before.at(-1));
		assert.doesNotMatch((await prompts()).join(), /Look again/);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"a patch changes closed, clean, unsaved, CRLF and Shift JIS files and keeps each one's form and unsaved text",
	inFolder(async ({ window, chat, model, play, folder }) => {
		const onDisk = (name: keyof typeof FILES) => readFileSync(join(folder, name), "utf8");
		const patched = ["closed.txt", "clean.txt", "dirty.txt", "windows.txt"];
		// 一 and 二 in Shift JIS, which is not UTF-8.
		const japanese = (second: string) => Buffer.from(`88ea0d0a${second}0d0a`, "hex");
		writeFileSync(join(folder, "japanese.ini"), japanese("93f1"));
		play(
			calls("read_file", { path: "changed.txt" }),
			calls("read_file", { path: "japanese.ini" }),
			calls("apply_patch", { patch: aPatch("*** Update File: japanese.ini", "@@", " 一", "-二", "+三") }),
			() => {
				writeFileSync(join(folder, "changed.txt"), "one\ntwo\nthree, says the user\n");
				return calls("apply_patch", { patch: aPatch(...patched.flatMap(twoToTwo)) });
			},
			calls("apply_patch", { patch: aPatch(...twoToTwo("changed.txt")) }),
			says("Done."),
		);
		await window.openFile("clean.txt");
		await window.openFile("dirty.txt");
		await window.page.keyboard.type("mine, ");
		await until("the user's words are in the editor", async () =>
			(await textOf(window, "dirty.txt")).startsWith("mine, one"),
		);

		await chat.ask("Patch them");
		await chat.rows("agentMessage").filter({ hasText: "Done." }).waitFor();
		await chat.waitForEnd();
		assert.equal(onDisk("closed.txt"), "one\n2\nthree\n");
		assert.equal(onDisk("clean.txt"), "one\n2\nthree\n", "a clean document is saved");
		assert.equal(onDisk("dirty.txt"), FILES["dirty.txt"], "what the user has not saved stays unsaved");
		assert.equal(onDisk("windows.txt"), "one\r\n2\r\nthree");
		assert.deepEqual(readFileSync(join(folder, "japanese.ini")), japanese("8e4f"));
		assert.equal(
			onDisk("changed.txt"),
			"one\ntwo\nthree, says the user\n",
			"never over what the user changed meanwhile",
		);
		await until("the patch is in the unsaved document", async () =>
			(await textOf(window, "dirty.txt")).startsWith("mine, one\n2\n"),
		);
		const told = bodyOf(model.requests.at(-1) ?? assert.fail()).input.flatMap(({ output }) =>
			output === undefined ? [] : [String(output)],
		);
		assert.match(told.join("\n"), /dirty\.txt had unsaved changes: .*commands see the old text/);
		assert.match(told.at(-1) ?? "", /changed since you read it[\s\S]*3: three, says the user/);
		await window.screenshot("patched documents");

		await window.openFile("clean.txt");
		const shown = () => textOf(window, "clean.txt");
		await until("the patch is in the clean document", async () => (await shown()).startsWith("one\n2\n"));
		await window.press("Control+z");
		await until("undo takes it back", async () => (await shown()).startsWith("one\ntwo\n"));
		assert.equal(onDisk("clean.txt"), "one\n2\nthree\n");
	}),
);

/** What the editor of a file shows. */
test(
	"in a folder that was opened through a link, changes are marked in the open file and shown under its name",
	session.alone(async (desk) => {
		const real = desk.editor.folder({ "a.txt": "one\ntwo\n" });
		const folder = `${real}-link`;
		symlinkSync(real, folder);
		const { window, chat, play } = await openThread(desk, { folder }, SETTINGS);
		play(calls("apply_patch", { patch: aPatch(...twoToTwo("a.txt")) }), says("Changed."));
		await window.openFile("a.txt");
		await chat.ask("Patch it.");
		await chat.waitForEnd();
		await window.page.locator(".part.editor .codelens-decoration a", { hasText: "Reject" }).waitFor();
		await chat.frame.locator('[data-bar="changes"]').getByText("a.txt", { exact: true }).click();
		await window.page.getByRole("tab", { name: /^a\.txt \(pending changes\)/ }).waitFor();
		await window.page.getByRole("tab", { name: /^a\.txt(?! \(pending)/ }).click();
		await window.page.locator(".part.editor .codelens-decoration a", { hasText: "Reject" }).click();
		await until("the change is undone on disk", async () => readFileSync(join(real, "a.txt"), "utf8") === "one\ntwo\n");
	}),
);

async function textOf(window: EditorWindow, name: string): Promise<string> {
	const lines = window.textOf(name).locator(".view-line");
	const drawn = await lines.evaluateAll((all) =>
		all.map((line) => ({ top: Number.parseFloat((line as HTMLElement).style.top), text: line.textContent })),
	);
	const inOrder = drawn.sort((a, b) => a.top - b.top);
	return inOrder.map(({ text }) => text.replaceAll("\u00a0", " ")).join("\n");
}

test(
	"an edit requested in the editor is sent with its selection, and its change is judged in the file",
	inFolder(async ({ window, chat, model, play }) => {
		const { page } = window;
		play(calls("apply_patch", { patch: aPatch(...twoToTwo("clean.txt")) }), says("Edited."));
		await window.openFile("clean.txt");
		await page.keyboard.press("Control+A");
		const before = model.requests.length;
		await window.command("Vitrine: Edit Selection…");
		await window.answer("Edit ", "Write two as a digit");
		await until("it is sent with the selection", () => model.requests.length > before);
		const sent = JSON.stringify(model.requests.at(-1)?.body);
		assert.match(sent, /Edit the selected code: Write two as a digit/);
		assert.match(sent, /Selected, [^"]*clean\.txt/);
		await chat.waitForEnd();
		const keep = page.locator(".part.editor .codelens-decoration a", { hasText: "Keep" });
		await keep.first().waitFor();
		await keep.first().click();
		await keep.first().waitFor({ state: "detached" });
	}),
);

test(
	"judged changes leave the diff, pending ones stay marked in other threads, and can be commented on in place",
	inFolder(async ({ window, chat, play }) => {
		const { page } = window;
		const files = ["*** Add File: first.txt", "+1", "*** Add File: second.txt", "+2"];
		play(calls("apply_patch", { patch: aPatch(...files) }), says("Two files."));
		await chat.ask("Write two files.");
		await chat.waitForEnd();
		await window.command("Vitrine: Review Pending Changes");
		const entries = page.locator(".part.editor .multiDiffEntry").filter({ visible: true });
		await until("both files are in the diff", async () => (await entries.count()) === 2);
		const second = entries.filter({ hasText: "second.txt" });
		await second.locator(".comment-range-glyph.comment-thread").first().click();
		const widget = page.locator(".part.editor .review-widget");
		await widget.getByRole("button", { name: "Keep This Change" }).click();
		await until("the kept file is no empty part of the diff", async () => (await entries.count()) === 1);
		assert.match(await entries.innerText(), /first\.txt/);

		// In another thread, a pending change can still be seen and judged.
		await startOver(window);
		await window.openFile("first.txt");
		const lens = (name: string) => page.locator(".part.editor .codelens-decoration a", { hasText: name });
		await lens("Comment").first().click();
		await widget.getByText("Comment on this change", { exact: true }).waitFor();
		await window.screenshot("a comment from the lens");
		await lens("Keep").first().click();
		await lens("Keep").first().waitFor({ state: "detached" });
		const tabs = page.locator(".part.editor .tabs-container .tab");
		await until("the diff is closed when nothing is left in it", async () => {
			return !(await tabs.allInnerTexts()).join().includes("Pending Changes");
		});
	}),
);
