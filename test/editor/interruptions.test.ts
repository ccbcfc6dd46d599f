import assert from "node:assert/strict";
import type { EditorChat } from "../support/editor-chat.ts";
import { findAgentHost } from "../support/editor-processes.ts";
import { createEditorSession, type Desk } from "../support/editor-session.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { type Held, holds, type Step, says } from "../support/fake-model-steps.ts";
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

session.test("a reload of the window in mid-stream shows the turn as interrupted, with a retry", async (desk) => {
	const { window } = await startHeldTurn(desk, holds(BEFORE, AFTER), [says("Answered at last.")]);
	await window.reload();
	await retryInterrupted(await window.chat());
});

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
): Promise<{ readonly window: EditorWindow; readonly chat: EditorChat; readonly model: FakeModel }> {
	const model = await startFakeModel([first, ...then]);
	desk.defer(() => model.stop());
	desk.editor.writeUserSettings({
		"security.workspace.trust.enabled": false,
		"vitrine.model.provider": "compatible",
		"vitrine.model.baseUrl": model.baseUrl,
		"vitrine.model.id": "fake-1",
	});
	const window = await desk.open({ folder: copySample(desk.editor.root) });
	await window.command("Vitrine: Open Chat");
	const chat = await window.chat();
	await chat.ask("Tell me everything");
	await chat.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
	return { window, chat, model };
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
