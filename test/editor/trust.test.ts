import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { bodyOf } from "../support/request-page.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession();

session.test(
	"Restricted Mode reads and answers, says so, and ends without a reload when trust is granted",
	async (desk) => {
		const window = await desk.open({ folder: copySample(desk.editor.root) });
		await window.command("Vitrine: Open Chat");
		const chat = await window.chat();
		await chat.banner("restricted").waitFor();
		assert.match(await chat.banner("restricted").innerText(), /Restricted Mode: reading and answering only/);
		await chat.ask("What is in this folder?");
		await chat.waitForAnswer(20);
		await chat.waitForEnd();

		await chat.frame.evaluate(() => document.body.setAttribute("data-same-page", "yes"));
		await window.grantTrust();
		await chat.banner("restricted").waitFor({ state: "detached" });
		assert.equal(await chat.frame.locator("body").getAttribute("data-same-page"), "yes");
		assert.equal(await chat.rows("userMessage").count(), 1);
	},
);

session.test("without a folder the chat still answers and says what is missing", async (desk) => {
	const window = await desk.open("none");
	await window.command("Vitrine: Open Chat");
	const chat = await window.chat();
	await chat.banner("noFolder").waitFor();
	await chat.ask("Hello");
	await chat.waitForAnswer(5);
	await chat.waitForEnd();
	assert.equal(await chat.rows("turnEnd").count(), 0);
});

session.test(
	"trust in mid-thread turns commands on: allowed, denied with a note, allowed by a rule, asked again once it is revoked, stopped in the background",
	async (desk) => {
		const touch = (name: string) => calls("run_command", { command: ["touch", name] });
		const steps = ["untrusted", "allowed", "denied", "ruled", "again", "last"].flatMap((name) => [
			touch(`${name}.made`),
			says(`${name} is over.`),
		]);
		steps.push(calls("run_command", { command: "echo It waits.; sleep 600", yieldMs: 200 }), says("waiting is over."));
		const model = await startFakeModel(() => steps.shift() ?? assert.fail());
		const folder = copySample(desk.editor.root);
		const { window, chat } = await openThread(desk, { folder }, { "vitrine.permissions.mode": "ask" }, model);
		const isMade = (name: string) => existsSync(join(folder, `${name}.made`));
		const lastTold = () =>
			String(
				bodyOf(model.requests.at(-1) ?? assert.fail()).input.findLast(({ output }) => output !== undefined)?.output,
			);
		const over = async (name: string) => {
			await chat
				.rows("agentMessage")
				.filter({ hasText: `${name} is over.` })
				.waitFor();
			await chat.waitForEnd();
		};
		const decide = (decision: string) => chat.press(`[data-decision=${decision}]`);

		await chat.ask("Make a file");
		await over("untrusted");
		assert.match(lastTold(), /There is no tool run_command/);
		await window.grantTrust();
		await chat.banner("restricted").waitFor({ state: "detached" });

		await chat.ask("Make a file now");
		await decide("allow");
		await over("allowed");
		assert.ok(isMade("allowed") && !isMade("untrusted"));
		assert.match(
			(await chat.rows("toolCall").last().innerText()).replaceAll("\n", " "),
			/touch allowed\.made.*exit 0 · .*s · sandboxed/,
		);

		await chat.ask("And another");
		await chat.press("text=Deny with note");
		await chat.frame.getByLabel("Note for the model").fill("Not that one.");
		await chat.frame.getByRole("button", { name: "Deny with this note" }).click();
		await over("denied");
		assert.match(lastTold(), /The user did not allow this and says: Not that one\./);
		assert.ok(!isMade("denied"));

		await chat.ask("And one for good");
		await decide("allowRule");
		await over("ruled");
		await chat.ask("Once more");
		await over("again");
		assert.ok(isMade("again"), "the rule allows it without a question");

		const saved = () => JSON.parse(readFileSync(join(desk.editor.userData, "User", "settings.json"), "utf8"));
		assert.deepEqual(saved()["vitrine.permissions.rules"], [{ prefix: ["touch"] }]);
		await window.expandView("Activity");
		await window.treeRow("Activity", "Decided in this thread").click();
		const ruled = window.treeRow("Activity", "Run touch again.made");
		assert.match(await ruled.innerText(), /allowed by a saved rule/);
		await ruled.hover();
		const revoke = ruled.getByRole("button", { name: "Revoke Permission" });
		await revoke.click();
		await revoke.waitFor({ state: "detached" });
		assert.equal(saved()["vitrine.permissions.rules"], undefined);

		await chat.ask("And the last");
		await decide("deny");
		await over("last");
		assert.ok(!isMade("last"), "without the rule it is asked about again");

		await chat.ask("Wait in the background");
		await decide("allow");
		await over("waiting");
		const running = window.treeRow("Activity", "bash -c");
		await running.click();
		await window.page.locator(".view-lines").getByText("It waits.").waitFor();
		await window.screenshot("a command in the background");
		await running.hover();
		await running.getByRole("button", { name: "Stop Process" }).click();
		await running.waitFor({ state: "detached" });
		await window.page.locator(".view-lines").getByText("This command runs no longer").waitFor();
		await window.screenshot("commands after trust");
	},
);
