import assert from "node:assert/strict";
import { test } from "node:test";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { anApproval } from "./an-approval.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();
const HEIGHT = 800;
/** Of the panel, for everything but the conversation; with an approval, whose card is not counted, a little more. */
const [MAX_CHROME, MAX_CHROME_ASKING] = [0.3, 0.4];

/** Enough for two letters and an ellipsis. */
const MIN_NAME = 16;

const CHANGES = { files: 4, hunks: 6, runWithBuild: [], list: [] };
const PANEL = aPanel({ next: aNextTurn(), changes: CHANGES });

/** The part of the panel that is neither the conversation nor an approval. */
async function chromeOf(page: ChatPage): Promise<number> {
	const px = await page.tab.evaluate(() => {
		const heightOf = (part: string) => document.querySelector(part)?.getBoundingClientRect().height ?? 0;
		return heightOf(".dock") + heightOf(".banners") - heightOf(".approvals");
	});
	return px / HEIGHT;
}

/** A turn with a price whose input was mostly read from the cache. */
function aPaidTurn(): AThread {
	const usage = { window: 100_000, percentLeft: 59, estimated: false, baseline: 0 };
	const tokens = { input: 100, cached: 80, output: 1, reasoning: 0, total: 101 };
	const spent = { tokens: 101, money: 1.2, unpriced: 0, requests: 1, minutes: 1 };
	const thread = new AThread().turn().ask("Go");
	thread.add({ type: "usage", ...usage, last: tokens, total: tokens, spent: { turn: spent, thread: spent } });
	return thread;
}

test("at 300 px the panel leaves most of its height to the conversation, whatever it shows", async () => {
	const page = await pages.open({ width: 300, height: HEIGHT });
	const thread = aPaidTurn();
	await page.showThread(thread.answer("Done. ".repeat(2_000)).end().events);
	await page.tell({ type: "panel", panel: PANEL });
	const shown: Record<string, number> = { idle: await chromeOf(page) };
	await page.tell({ type: "panel", panel: { ...PANEL, model: { ...PANEL.model, provider: "demo" } } });
	shown.demo = await chromeOf(page);
	await page.tell({ type: "panel", panel: PANEL });
	await page.publish(...thread.turn().ask("More").events.slice(-2));
	await page.tab.locator("#composer").fill("And then?");
	shown.running = await chromeOf(page);
	for (const [state, part] of Object.entries(shown)) assert.ok(part <= MAX_CHROME, `${state}: ${part}`);
	await page.publish(thread.next({ type: "approvalRequested", request: anApproval() }));
	const asking = await chromeOf(page);
	assert.ok(asking <= MAX_CHROME_ASKING, `asking: ${asking}`);
});

test("the mark of files that run with the build stays beside the words of the bar, however narrow the panel is", async () => {
	const page = await pages.open({ language: "de", height: HEIGHT });
	await page.tell({ type: "panel", panel: { ...PANEL, changes: { ...CHANGES, runWithBuild: ["package.json"] } } });
	for (const width of [168, 220, 260, 285, 300, 320, 430]) {
		await page.tab.setViewportSize({ width, height: HEIGHT });
		await page.painted();
		const [words, mark] = await Promise.all(
			[".changes-title", ".changes-bar .build-mark"].map((part) => page.tab.locator(part).boundingBox()),
		);
		assert.ok(words && mark && mark.x >= words.x + words.width && mark.x + mark.width <= width, String(width));
		assert.ok(mark.y >= words.y && mark.y + mark.height <= words.y + words.height + 1, String(width));
	}
});

test("six lists inside each other break no word in a panel of 200 px", async () => {
	const page = await pages.open({ width: 200, height: HEIGHT });
	const lists = ["-", "1."].map((mark) =>
		Array.from({ length: 6 }, (_, level) => `${"   ".repeat(level)}${mark} A step of level ${level}`).join("\n"),
	);
	await page.showThread(new AThread().turn().ask("Go").answer(lists.join("\n\nThen\n\n")).end().events);
	const broken = await page.tab.locator(".markdown li").evaluateAll((items) =>
		items.flatMap((item) => {
			const [text] = [...item.childNodes].filter((node) => node instanceof Text);
			if (text === undefined) return ["nothing"];
			return [...text.data.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
				const range = document.createRange();
				range.setStart(text, index);
				range.setEnd(text, index + word.length);
				return range.getClientRects().length > 1 ? [word] : [];
			});
		}),
	);
	assert.deepEqual(broken, []);
});

test("the line below the prompt is one row at any width, shows the model's name, and is complete to screen readers", async () => {
	const page = await pages.open({ height: HEIGHT });
	await page.showThread(aPaidTurn().end().events);
	await page.tell({ type: "panel", panel: { ...PANEL, next: aNextTurn({ threadId: THREAD }) } });
	for (const width of [168, 241, 285, 340, 341, 380, 381, 430, 460, 461, 520]) {
		await page.tab.setViewportSize({ width, height: HEIGHT });
		const { height, spread, overflow, name } = await page.tab.locator("#footer").evaluate((footer) => {
			const centres = [...footer.querySelectorAll("button")].map((one) => {
				const { top, bottom } = one.getBoundingClientRect();
				return (top + bottom) / 2;
			});
			const { height } = footer.getBoundingClientRect();
			const spread = Math.max(...centres) - Math.min(...centres);
			const name = footer.querySelector('[data-chip="model"] .chip-text')?.clientWidth ?? 0;
			return { height, spread, overflow: footer.scrollWidth - footer.clientWidth, name };
		});
		const seen = JSON.stringify({ width, height, spread, overflow, name });
		assert.ok(height < 40 && spread <= 2 && overflow <= 0, seen);
		assert.ok(width < 200 || name >= MIN_NAME, seen);
		assert.equal(
			await page.tab.getByRole("button", { name: "Permissions: Workspace, network off. Change" }).count(),
			1,
		);
	}
});

test("in a side bar of default width the model's name and the first word of its permissions are not cut off", async () => {
	const page = await pages.open({ height: HEIGHT });
	await page.showThread(aPaidTurn().end().events);
	await page.tell({ type: "panel", panel: { ...PANEL, next: aNextTurn({ threadId: THREAD }) } });
	for (const width of [285, 300, 320, 340]) {
		await page.tab.setViewportSize({ width, height: HEIGHT });
		const words = await page.tab
			.locator("#footer :is([data-chip=model], [data-chip=permissions]) .chip-text")
			.evaluateAll((names) =>
				names.map((name) => {
					const text = name.firstChild as Text;
					const [word = ""] = text.data.split(",");
					const [range, ellipsis] = [document.createRange(), 12];
					range.setStart(text, 0);
					range.setEnd(text, word.length);
					const needed = range.getBoundingClientRect().width + (word === text.data ? 0 : ellipsis);
					return { word, left: Math.ceil(name.getBoundingClientRect().width - needed) };
				}),
			);
		assert.deepEqual(
			words.map(({ word }) => word),
			["gpt-5.1", "Workspace"],
		);
		for (const { word, left } of words) assert.ok(left >= 0, JSON.stringify({ width, word, left }));
	}
});

test("plan mode has a switch that shows whether it is on", async () => {
	const page = await pages.open();
	await page.tell({ type: "panel", panel: PANEL });
	const toggle = page.tab.getByRole("button", { name: "Plan mode" });
	assert.deepEqual([await toggle.getAttribute("aria-pressed"), await toggle.innerText()], ["false", ""]);
	await toggle.click();
	assert.deepEqual((await page.takePosted()).at(-1), { type: "run", command: "togglePlan" });
	await page.tell({ type: "panel", panel: { ...PANEL, next: aNextTurn({ plans: true }) } });
	assert.deepEqual([await toggle.getAttribute("aria-pressed"), await toggle.innerText()], ["true", "Plan"]);
	assert.equal(await page.tab.locator("#footer [data-chip=plan]").count(), 0, "said once");
});
