import assert from "node:assert/strict";
import { join } from "node:path";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread, startOver } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { holds, says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const session = createEditorSession();

session.tests(
	"threads on a small disk",
	async (desk) => {
		const threads = join(desk.editor.userData, "User", "globalStorage", "vitrine.vitrine", "threads");
		const disk = await mountSmallDisk(threads, 128);
		desk.defer(disk.unmount);
		const settings = { "security.workspace.trust.enabled": false, "vitrine.model.contextWindow": 1_000_000 };
		const folder = copySample(desk.editor.root);
		return { ...(await openThread(desk, { folder }, settings)), desk, folder, disk };
	},
	{
		"a full disk is said, the prompt stays, and it can be sent once there is room": async ({ chat, play, disk }) => {
			play(says("Saved and answered."));
			const prompt = "too much to save ".repeat(15_000);
			await chat.composer.fill(prompt);
			await chat.send.click();
			await chat.frame.getByRole("alert").filter({ hasText: "Not saved: the disk is full." }).waitFor();
			assert.equal(await chat.composer.inputValue(), prompt);

			await disk.grow(8_192);
			await chat.send.click();
			await chat.rows("agentMessage").filter({ hasText: "Saved and answered." }).waitFor();
			await chat.waitForEnd();
			assert.equal(await chat.composer.inputValue(), "");
		},

		"two windows on one thread: one writes, the other follows, and takes over when the first is gone": async (
			opened,
		) => {
			const { desk, folder, window: first, chat: writing, play } = opened;
			const answer = holds("The first half. ", "The second half.");
			await startOver(opened);
			play(answer, says("From the second window."));
			await writing.ask("Tell me everything");
			await writing.rows("agentMessage").filter({ hasText: "first half" }).waitFor();

			const second = await desk.open({ folder });
			await second.command("Vitrine: Open Chat");
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
	},
);
