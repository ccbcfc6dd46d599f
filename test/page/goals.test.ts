import assert from "node:assert/strict";
import { test } from "node:test";
import type { Goal } from "../../agent-host/protocol/thread/goal.ts";
import { AThread } from "./a-thread.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

const GOAL: Goal = {
	text: "All tests pass.",
	budget: { turns: 9 },
	state: "active",
	verifying: false,
	spent: { turns: 1, tokens: 1_200, money: 0.5, minutes: 3 },
};

test("a goal can be typed, paused, resumed and stopped, shows what it uses, and its end says what was done", async () => {
	const page = await pages.open();
	const composer = page.tab.locator("#composer");
	const bar = page.tab.locator('[data-bar="goal"]');
	const rows = page.tab.locator('[data-kind="goal"]');
	const goal = (change: Partial<Goal>) => ({ type: "goalChanged", goal: { ...GOAL, ...change } }) as const;
	const thread = new AThread().turn().ask("All tests pass.");
	await page.showThread(thread.events);
	await page.takePosted();
	await composer.fill("/goal");
	await composer.press("Escape");
	await composer.fill("/goal All tests pass.");
	await composer.press("Enter");
	assert.deepEqual(await page.takePosted(), [{ type: "setGoal", text: "All tests pass." }]);
	assert.equal(await bar.count(), 0);

	await page.showThread(thread.add(goal({})).events);
	assert.match(
		(await bar.textContent()) ?? "",
		/^Goal1 of 9 turns · 1,200 tokens · \$0\.50 · 3 minutesAll tests pass\.PauseStop Goal/,
	);
	await bar.getByRole("button", { name: "Pause" }).click();
	await page.showThread(thread.add(goal({ state: "paused", reason: "You paused the goal." })).events);
	await bar.getByRole("button", { name: "Resume" }).click();
	await bar.getByRole("button", { name: "Stop Goal" }).click();
	const changes = (await page.takePosted()).filter(({ type }) => type === "changeGoal");
	assert.deepEqual(changes, [
		{ type: "changeGoal", to: "paused" },
		{ type: "changeGoal", to: "active" },
		{ type: "changeGoal", to: "stopped" },
	]);
	await page.showThread(thread.add(goal({ state: "reached", report: "I ran them." })).events);
	assert.equal(await bar.count(), 0);
	assert.match((await rows.first().textContent()) ?? "", /^Goal paused.*You paused the goal\.$/);
	assert.match((await rows.last().textContent()) ?? "", /^Goal reached1 of 9 turns.*I ran them\.$/);
});
