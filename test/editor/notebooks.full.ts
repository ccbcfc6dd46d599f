// A notebook in the editor's own notebook view, with changes that are not saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";
import { allowWorkspace } from "./language-tools.ts";

const session = createEditorSession({ builtIn: ["ipynb", "notebook-renderers", "python", "node_modules"] });
const SETTINGS = {
	"security.workspace.trust.enabled": false,
	// In a browser the editor saves automatically by default.
	"files.autoSave": "off",
	"vitrine.permissions.mode": "ask",
};
const NOTEBOOK = {
	cells: [
		{ cell_type: "markdown", id: "top", metadata: {}, source: ["# Prices"] },
		{ cell_type: "code", execution_count: null, id: "sum", metadata: {}, outputs: [], source: ["total = 1"] },
	],
	metadata: { language_info: { name: "python" } },
	nbformat: 4,
	nbformat_minor: 5,
};
const WHOLE = `${JSON.stringify(NOTEBOOK, undefined, 1)}\n`;

test(
	"a notebook with unsaved changes is not patched; once it is saved, the agent reads and edits its cells",
	session.alone(async (desk) => {
		const folder = desk.editor.folder({ "prices.ipynb": WHOLE });
		const { window, chat, play, model } = await openThread(desk, { folder }, SETTINGS);
		const { page } = window;
		const onDisk = () => readFileSync(join(folder, "prices.ipynb"), "utf8");
		const outputs = () =>
			bodyOf(model.requests.at(-1) ?? assert.fail("no request")).input.flatMap(({ type, output }) =>
				type === "function_call_output" ? [String(output)] : [],
			);
		await allowWorkspace(window);
		const tab = page.locator(".part.editor .tab").filter({ hasText: "prices.ipynb" });
		const cell = page.locator(".notebookOverlay .monaco-editor .view-lines").filter({ hasText: "total" });
		await page.getByRole("treeitem", { name: "prices.ipynb", exact: true }).dblclick();
		await tab.waitFor();
		await cell.click();
		await window.press("Control+End");
		await page.keyboard.type(" + 2");
		await page.locator(".part.editor .tab.dirty").filter({ hasText: "prices.ipynb" }).waitFor();

		const raw = aPatch("*** Update File: prices.ipynb", "@@", '-   "total = 1"', '+   "total = 3"');
		const inCells = aPatch("*** Update File: prices.ipynb", "@@ %% cell sum code", "-total = 1 + 2", "+total = 3");
		play(
			calls("read_file", { path: "prices.ipynb" }),
			calls("apply_patch", { patch: raw }),
			calls("apply_patch", { patch: inCells }),
			says("Please save it."),
		);
		await chat.ask("Set the total to 3.");
		await chat.waitForEnd();
		const [read = "", ...refused] = outputs();
		assert.match(
			read,
			/^The cells of a notebook\.[^\n]* The editor has unsaved changes of it that are not shown here\.\n/,
		);
		assert.match(read, /^\d: %% cell sum code\n\d: total = 1$/m);
		for (const reason of refused) {
			assert.match(reason, /has unsaved changes in the editor, which a patch would lose: ask the user to save it/);
			assert.match(reason, /then read it again and patch its cells/);
		}
		assert.equal(refused.length, 2);
		assert.equal(onDisk(), WHOLE, "nothing was written");
		await cell.filter({ hasText: "total = 1 + 2" }).waitFor();
		await page.locator(".part.editor .tab.dirty").filter({ hasText: "prices.ipynb" }).waitFor();
		await window.screenshot("an unsaved notebook is left alone");

		await cell.click();
		await window.press("Control+S");
		await until("it is saved", () => onDisk().includes("total = 1 + 2"));
		play(calls("read_file", { path: "prices.ipynb" }), calls("apply_patch", { patch: inCells }), says("Done."));
		await chat.ask("It is saved.");
		await chat.waitForEnd();
		const [again = "", patched = ""] = outputs().slice(-2);
		assert.match(again, /: %% cell sum code\n\d: total = 1 \+ 2$/m);
		assert.doesNotMatch(again, /unsaved/);
		assert.match(patched, /^Changed:\nM prices\.ipynb/);
		const { cells } = JSON.parse(onDisk());
		assert.deepEqual(cells[0], NOTEBOOK.cells[0]);
		assert.deepEqual([cells[1].id, [cells[1].source].flat().join("")], ["sum", "total = 3"]);
		await cell.filter({ hasText: "total = 3" }).waitFor();
		assert.deepEqual(window.pageErrors, []);
	}),
);
