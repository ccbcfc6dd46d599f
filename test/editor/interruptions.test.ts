import assert from "node:assert/strict";
import type { EditorChat } from "../support/editor-chat.ts";
import { findAgentHost } from "../support/editor-processes.ts";
import { createEditorSession, type Desk } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, type Held, holds, type Step, says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession();

const BEFORE = "This is the first half of the answer. ";
const AFTER = "And this is the second half.";

session.test("a reload of the page in mid-stream loses nothing and shows nothing twice", async (desk) => {
	const answer = holds(BEFORE, AFTER);
	const { window, chat } = await startHeldTurn(desk, answer, []);
	await chat.composer.fill("a draft");
	await window.command("Developer: Reload Webviews");
	await until("the old page is gone", () => chat.frame.isDetached());

	const reloaded = await window.chat();
	await reloaded.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
	await reloaded.running.waitFor();
	assert.equal(await reloaded.composer.inputValue(), "a draft");
	answer.release();
	await reloaded.waitForEnd();
	assert.equal((await reloaded.answer()).trim(), `${BEFORE}${AFTER}`);
	const keys = await reloaded.rowKeys();
	assert.deepEqual(keys, [...new Set(keys)]);
	assert.equal(await reloaded.rows("turnEnd").count(), 0);
});

session.test(
	"a reload of the window in mid-stream shows the turn as interrupted, with a retry, and both lists as they were",
	async (desk) => {
		const steps = [calls("run_command", { command: ["true"] }), holds(BEFORE, AFTER), says("Answered at last.")];
		const { window, chat } = await openChat(desk, steps, { "vitrine.permissions.mode": "ask" });
		// Room for both lists below a chat that still shows its first row.
		await window.page.setViewportSize({ width: 1_280, height: 1_400 });
		await chat.ask("Tell me everything");
		await chat.press("[data-decision=allowThread]");
		await chat.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
		await window.expandView("Threads");
		const header = window.page.locator(".pane-header", { hasText: "Threads" });
		await window.choose("Group Threads by Folder", header.getByRole("button", { name: "More Actions" }));
		const isGrouped = async () => {
			const levels = ["corner-shop", "Tell me everything"].map((name) =>
				window.treeRow("Threads", name).first().getAttribute("aria-level"),
			);
			return (await Promise.all(levels)).join() === "1,2";
		};
		await until("the threads are grouped by folder", isGrouped);

		await window.expandView("Activity");
		const decided = window.treeRow("Activity", "Decided in this thread");
		await decided.click();
		const granted = window.treeRow("Activity", "Run true");
		await granted.hover();
		await granted.getByRole("button", { name: "Revoke Permission" }).click();
		await granted.filter({ hasText: "allowed for this thread by you, no longer in force" }).waitFor();

		await window.reload();
		await retryInterrupted(await window.chat());
		await until("the threads still are grouped", isGrouped);
		await decided.filter({ hasText: "1" }).waitFor();
	},
);

session.test("an agent host that is killed in mid-stream comes back, and the turn can be retried", async (desk) => {
	const { window, chat } = await startHeldTurn(desk, holds(BEFORE, AFTER), [says("Answered at last.")]);
	const killed = await until("the agent host runs", () => findAgentHost(desk.editor.pid));
	process.kill(killed, "SIGKILL");
	await chat.waitForEnd();
	await retryInterrupted(await window.chat());
	assert.notEqual(findAgentHost(desk.editor.pid), killed);
});

/** Opens a chat and sends a prompt whose answer stops half way until it is released. */
async function startHeldTurn(
	desk: Desk,
	first: Held,
	then: readonly Step[],
): Promise<{ readonly window: EditorWindow; readonly chat: EditorChat }> {
	const opened = await openChat(desk, [first, ...then]);
	await opened.chat.ask("Tell me everything");
	await opened.chat.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
	return opened;
}

async function openChat(desk: Desk, steps: readonly Step[], settings: Readonly<Record<string, unknown>> = {}) {
	const trusted = { "security.workspace.trust.enabled": false, ...settings };
	return openThread(desk, { folder: copySample(desk.editor.root) }, trusted, await startFakeModel(steps));
}

/** The prompt and the half answer are still there, and the retry brings a whole one. */
async function retryInterrupted(chat: EditorChat): Promise<void> {
	await chat.rows("turnEnd").waitFor();
	assert.match(await chat.rows("turnEnd").innerText(), /interrupted/i);
	assert.equal(await chat.rows("userMessage").filter({ hasText: "Tell me everything" }).count(), 1);
	await chat.retry.click();
	await chat.rows("agentMessage").filter({ hasText: "Answered at last." }).waitFor();
	await chat.waitForEnd();
	const keys = await chat.rowKeys();
	assert.deepEqual(keys, [...new Set(keys)]);
}
