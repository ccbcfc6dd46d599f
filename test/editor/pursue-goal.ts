import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Desk } from "../support/editor-desk.ts";
import type { OpenThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { calls, holds, says } from "../support/fake-model-steps.ts";
import { allowWorkspace } from "./language-tools.ts";

/** The user sets a goal with a check, pauses it in its second turn, restarts the host, and resumes it until it is reached. */
export async function pursueGoal({
	window,
	chat,
	play,
	folder,
	desk,
}: OpenThread & { readonly folder: string; readonly desk: Desk }): Promise<void> {
	await allowWorkspace(window);
	const held = holds("I am still", " looking.");
	play(
		says("I looked around."),
		held,
		calls("report_goal", { status: "reached", report: "It is there." }),
		says("Now."),
	);
	const bar = chat.frame.locator('[data-bar="goal"]');
	await chat.composer.fill("/goal There is a goal.txt.");
	await chat.composer.press("Enter");
	await window.answer("Set Goal", "test -s goal.txt");
	await window.quickPick("10 turns, 30 minutes").click();
	await held.reached;
	await bar.getByText("1 of 10 turns").waitFor();
	await bar.getByRole("button", { name: "Pause" }).click();
	await chat.rows("goal").getByText("Goal paused").waitFor();
	held.release();
	await chat.waitForEnd();

	const ended = () => desk.editor.logs().split("Server process exited").length;
	const before = ended();
	await window.command("Vitrine: Restart Agent Host");
	// The button is there all the time, and what is asked of a host that ends is lost.
	await until("the agent host has ended", () => ended() > before);
	const resume = bar.getByRole("button", { name: "Resume" });
	await resume.waitFor();
	await bar.getByText("2 of 10 turns").waitFor();
	writeFileSync(join(folder, "goal.txt"), "here\n");
	await resume.click();
	await chat.rows("goal").getByText("Goal reached").waitFor();
	await chat.waitForEnd();
	await bar.waitFor({ state: "detached" });
	assert.match((await chat.rows("goal").last().textContent()) ?? "", /3 of 10 turns.*It is there\./);
	assert.deepEqual(window.pageErrors, []);
}
