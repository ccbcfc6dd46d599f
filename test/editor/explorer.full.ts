// The Explorer shows nothing of a sandbox in use. With VITRINE_PICTURES set, the picture in docs is taken again.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shownPictureFile } from "../support/editor-paths.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { calls, says } from "../support/fake-model-steps.ts";

const session = createEditorSession();
const FILES = { "README.md": "# Mine\n", "src/index.js": "export {};\n" };
const LONG = "echo > begun.txt; until [ -e end.txt ]; do sleep 0.1; done";

test(
	"while a command runs, the Explorer shows the user's files and what the command made, and no placeholder",
	session.alone(async (desk) => {
		const folder = desk.editor.folder(FILES);
		const settings = { "security.workspace.trust.enabled": false };
		const { window, chat, play } = await openThread(desk, { folder }, settings);
		play(calls("run_command", { command: LONG }), says("Done."));
		await window.command("View: Show Explorer");
		const rows = window.page.locator(".explorer-folders-view .monaco-list-row .label-name");
		await chat.ask("Run it.");
		await until("the command runs", () => existsSync(join(folder, "begun.txt")));
		await until("the Explorer shows what it made", async () => (await rows.allTextContents()).includes("begun.txt"));
		await window.page.screenshot({ path: shownPictureFile("explorer while a command runs") });
		assert.deepEqual((await rows.allTextContents()).sort(), ["README.md", "begun.txt", "src"]);
		writeFileSync(join(folder, "end.txt"), "");
		await chat.waitForEnd();
		await until("its end is shown", async () => (await rows.allTextContents()).includes("end.txt"));
		assert.deepEqual((await rows.allTextContents()).sort(), ["README.md", "begun.txt", "end.txt", "src"]);
	}),
);
