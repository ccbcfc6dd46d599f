import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { findAgentHost } from "../support/editor-processes.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { until } from "../support/editor-until.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession({ settings: { "security.workspace.trust.enabled": false } });

session.test(
	"each command of the palette does what it says, and dropped files of the workspace become chips",
	async (desk) => {
		const folder = copySample(desk.editor.root);
		const window = await desk.open({ folder });
		await window.command("Vitrine: Open Chat");
		const chat = await window.chat();
		const isFocused = () => chat.frame.evaluate(() => document.hasFocus() && document.activeElement?.id === "composer");

		// The chat that was just opened may take the focus once more.
		await until("the composer has lost the focus", async () => {
			await window.page.locator(".part.editor").click();
			return !(await isFocused());
		});
		await window.command("Vitrine: Focus Input");
		await until("the composer has the focus", isFocused);

		// What a drag from the explorer holds: a window on another machine names that machine.
		symlinkSync("/etc/hosts", `${folder}/link`);
		const outside = ["/etc/hosts", `${folder}/link`];
		const paths = [`${folder}/src/main.ts`, ...outside].map((path) => `file://${path}`);
		const dropped = [...paths, `vscode-remote://elsewhere${folder}/src`];
		await chat.composer.evaluate((input, list) => {
			const dataTransfer = new DataTransfer();
			dataTransfer.setData("application/vnd.code.uri-list", list);
			input.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
		}, dropped.join("\r\n"));
		await chat
			.banner("problem")
			.getByText(`Not in this workspace, so not attached: ${outside.join(", ")}`)
			.waitFor();
		const chips = chat.frame.locator('.context-chip[data-from="reader"]');
		assert.deepEqual(await chips.evaluateAll((all) => all.map(({ textContent }) => textContent)), ["main.ts", "src"]);

		await chat.ask("A long answer, please");
		await chat.waitForAnswer(50);
		await window.command("Vitrine: Stop");
		await chat.waitForEnd();
		await chat.rows("turnEnd").waitFor();

		const before = findAgentHost(desk.editor.pid);
		assert.ok(before, "no agent host runs although a turn did");
		await window.command("Vitrine: Restart Agent Host");
		await until("another agent host runs", () => {
			const now = findAgentHost(desk.editor.pid);
			return now !== undefined && now !== before;
		});

		await window.command("Vitrine: New Thread");
		await until("the transcript is empty", async () => (await chat.rows("userMessage").count()) === 0);

		await window.command("Vitrine: Set Up Model…");
		await window.quickPick("Demo model").waitFor();
		await window.page.keyboard.press("Escape");
		await window.quickInput.waitFor({ state: "hidden" });

		await window.command("Vitrine: Show Log");
		const channel = window.page.locator(".part.panel select").first();
		await until("the output of Vitrine is shown", async () => (await channel.inputValue()) === "Vitrine");
	},
);
