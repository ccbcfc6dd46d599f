import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread, startOver } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { holds, says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const session = createEditorSession();
/** Kilobytes: room for a thread, but not for a long prompt, and for everything. */
const [LITTLE, MUCH] = [128, 8_192];

const inFolder = session.share(async (desk) => {
	const disk = await mountSmallDisk(join(desk.editor.storage, "threads"), LITTLE);
	desk.defer(disk.unmount);
	const settings = { "security.workspace.trust.enabled": false, "vitrine.model.contextWindow": 1_000_000 };
	const folder = copySample(desk.editor.root);
	return { ...(await openThread(desk, { folder }, settings)), folder, disk };
});

test(
	"a full disk is reported, and the prompt stays and can be sent once there is room",
	inFolder.untouched(async ({ chat, play, disk }) => {
		play(says("Saved and answered."));
		const prompt = "too much to save ".repeat(15_000);
		await chat.composer.fill(prompt);
		await chat.send.click();
		await chat.frame.getByRole("alert").filter({ hasText: "Not saved: the disk is full." }).waitFor();
		assert.equal(await chat.composer.inputValue(), prompt);

		await disk.grow(MUCH);
		await chat.send.click();
		await chat.rows("agentMessage").filter({ hasText: "Saved and answered." }).waitFor();
		await chat.waitForEnd();
		await until("the prompt was taken", async () => (await chat.composer.inputValue()) === "");
	}),
);

test(
	"of two windows on one thread one writes and the other follows, and takes over when the first is gone",
	inFolder(async ({ desk, folder, window: first, chat: writing, play, disk }) => {
		desk.leave();
		await disk.grow(MUCH);
		const answer = holds("The first half. ", "The second half.");
		play(answer, says("From the second window."));
		await writing.ask("Tell me everything");
		await writing.rows("agentMessage").filter({ hasText: "first half" }).waitFor();

		const second = await desk.open({ folder });
		await second.openChat();
		await startOver(second);
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
		const isTaken = async () => (await following.prompts()).includes("And what else?");
		await until("the second window may write", async () => {
			if (await isTaken()) return true;
			// Not while a try is under way.
			if (await following.send.isEnabled()) await following.send.click();
			return isTaken();
		});
		await following.rows("agentMessage").filter({ hasText: "From the second window." }).waitFor();
		await following.waitForEnd();
	}),
);
