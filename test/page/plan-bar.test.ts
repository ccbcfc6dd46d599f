import assert from "node:assert/strict";
import { test } from "node:test";
import { aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

test("a waiting plan is a bar with its actions, hidden while a turn runs", async () => {
	const page = await pages.open();
	const bar = page.tab.locator('[data-bar="plan"]');
	await page.showThread(new AThread().turn().ask("Plan it").end().events);
	assert.equal(await bar.count(), 0);
	await page.tell({ type: "panel", panel: aPanel({ plan: { steps: 3, comments: 1 } }) });
	assert.match((await bar.textContent()) ?? "", /^Plan: 3 steps1 commentOpen PlanReviseGo in New ThreadGo$/);
	await page.takePosted();
	for (const name of ["Open Plan", "Revise", "Go in New Thread", "Go"]) {
		await bar.getByRole("button", { name, exact: true }).click();
	}
	const ran = (await page.takePosted()).map((message) => message.type === "run" && message.command);
	assert.deepEqual(ran, ["openPlan", "revisePlan", "goWithPlanInNewThread", "goWithPlan"]);
	await page.showThread(new AThread().turn().ask("Plan it").events);
	assert.equal(await bar.count(), 0);
});
