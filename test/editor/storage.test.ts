import assert from "node:assert/strict";
import { join } from "node:path";
import { createEditorSession, type Desk } from "../support/editor-session.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { holds, type Step, says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const session = createEditorSession();

session.test(
	"two windows on one thread: one writes, the other follows, and takes over when the first is gone",
	async (desk) => {
		const answer = holds("The first half. ", "The second half.");
		await useModel(desk, [answer, says("From the second window.")]);
		const folder = copySample(desk.editor.root);
		const first = await openChat(desk, folder);
		const writing = await first.chat();
		await writing.ask("Tell me everything");
		await writing.rows("agentMessage").filter({ hasText: "first half" }).waitFor();

		const second = await openChat(desk, folder);
		await second.command("Vitrine: New Thread");
		await second.expandView("Threads");
		await second.treeRow("Threads", "Tell me everything").click();
		const following = await second.chat();
		await following.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
		answer.release();
		await following.rows("agentMessage").filter({ hasText: "second half" }).waitFor();
		await following.waitForEnd();
		await following.composer.fill("And what else?");
		await following.send.click();
		await following.frame.getByRole("alert").filter({ hasText: "open in another window" }).waitFor();
		assert.equal(await following.composer.inputValue(), "And what else?");

		await first.page.close();
		await until("the second window may write", async () => {
			await following.send.click();
			const refused = following.frame.getByRole("alert").filter({ hasText: "open in another window" });
			const taken = following.rows("userMessage").filter({ hasText: "And what else?" });
			await refused.or(taken).first().waitFor();
			return (await taken.count()) > 0;
		});
		await following.rows("agentMessage").filter({ hasText: "From the second window." }).waitFor();
	},
);

session.test("a full disk is said, the prompt stays, and it can be sent once there is room", async (desk) => {
	await useModel(desk, [says("Saved and answered.")]);
	const threads = join(desk.editor.userData, "User", "globalStorage", "vitrine.vitrine", "threads");
	const disk = mountSmallDisk(threads, 128);
	desk.defer(async () => disk.unmount());
	const window = await openChat(desk, copySample(desk.editor.root));
	const chat = await window.chat();
	const prompt = "too much to save ".repeat(15_000);
	await chat.composer.fill(prompt);
	await chat.send.click();
	await chat.frame.getByRole("alert").filter({ hasText: "Not saved: the disk is full." }).waitFor();
	assert.equal(await chat.composer.inputValue(), prompt);

	disk.grow(8_192);
	await chat.send.click();
	await chat.rows("agentMessage").filter({ hasText: "Saved and answered." }).waitFor();
	await chat.waitForEnd();
	assert.equal(await chat.composer.inputValue(), "");
});

async function useModel(desk: Desk, steps: readonly Step[]): Promise<void> {
	const model = await startFakeModel(steps);
	desk.defer(() => model.stop());
	desk.editor.writeUserSettings({
		"security.workspace.trust.enabled": false,
		"vitrine.model.provider": "compatible",
		"vitrine.model.baseUrl": model.baseUrl,
		"vitrine.model.id": "fake-1",
		"vitrine.model.contextWindow": 1_000_000,
	});
}

async function openChat(desk: Desk, folder: string): Promise<EditorWindow> {
	const window = await desk.open({ folder });
	await window.command("Vitrine: Open Chat");
	return window;
}
