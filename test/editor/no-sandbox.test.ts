import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { bodyOf } from "../support/request-page.ts";
import { copySample } from "../support/sample.ts";

/** A machine like this one, except that its bubblewrap is not a program. */
const WITHOUT = ["/usr/bin/bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap"];
const session = createEditorSession({ within: [...WITHOUT, "--die-with-parent", "--"] });
const FIX =
	/Bubblewrap \(bwrap\) was not found .*, so there is no sandbox for commands\. Install it[\s\S]*bubblewrap[\s\S]*Copy Command[\s\S]*Check Again/;

test(
	"without a sandbox the panel and the status bar name the fix, and a command runs only after a card that says so",
	session.alone(async (desk) => {
		const folder = copySample(desk.editor.root);
		const trusted = { "security.workspace.trust.enabled": false };
		const { window, chat, model, play } = await openThread(desk, { folder }, trusted);
		await chat.banner("limit").waitFor();
		assert.match(await chat.banner("limit").innerText(), FIX);
		await window.page.locator('.statusbar-item[id$="vitrine.policy"] .codicon-warning').waitFor();

		play(calls("run_command", { command: "echo ran > ran.txt" }), says("It ran."));
		await chat.ask("Run it.");
		await chat.frame.locator(".approval").getByText("Runs without a sandbox, with your rights.").waitFor();
		assert.ok(!existsSync(join(folder, "ran.txt")));
		await (await chat.question()).decide("allow");
		await chat.rows("agentMessage").filter({ hasText: "It ran." }).waitFor();
		await chat.waitForEnd();
		const told = bodyOf(model.requests.at(-1) ?? assert.fail()).input.findLast(({ output }) => output !== undefined);
		assert.match(String(told?.output), /^Exit code 0/);
		assert.ok(existsSync(join(folder, "ran.txt")));
	}),
);
