import assert from "node:assert/strict";
import { test } from "node:test";
import type { AThread } from "./a-thread.ts";
import type { ChatPage } from "./chat-page.ts";
import { aLongThread } from "./long-thread.ts";
import { usePages } from "./open-page.ts";
import { firstVisible, publishEachFrame, scrollBy, scrollSmoothly, turnWheel, watchRow } from "./reader.ts";

const MAX_NODES = 1_500;

const pages = usePages();

async function openLongThread(items = 1_200) {
	const page = await pages.open();
	const thread = aLongThread(items);
	await page.showThread(thread.events);
	return { page, thread };
}

async function beginTurn(page: ChatPage, thread: AThread): Promise<void> {
	const start = thread.events.length;
	thread.turn().begin({ kind: "agentMessage", id: "streamed", text: "" });
	await page.publish(...thread.events.slice(start));
}

/** Streams an answer of many lines, then ends the turn. */
async function stream(page: ChatPage, thread: AThread): Promise<void> {
	let offset = 0;
	const deltas = Array.from({ length: 30 }, (_, piece) => {
		const text = piece % 10 === 9 ? `\n\`\`\`\n${"code\n".repeat(200)}\`\`\`\n\n` : `piece ${piece} of the answer\n\n`;
		const delta = thread.delta("streamed", offset, text);
		offset += text.length;
		return delta;
	});
	await publishEachFrame(page, deltas);
	await page.publish(thread.next({ type: "turnCompleted", status: "interrupted" }));
}

test("scrolling up through unmeasured rows moves them by exactly the scrolled distance", async () => {
	const { page } = await openLongThread();
	for (let step = 0; step < 40; step++) {
		const { key, top } = await firstVisible(page);
		await scrollBy(page, -400);
		const moved = await page.tab.locator(`[data-row="${key}"]`).evaluate((row) => row.getBoundingClientRect().top);
		assert.ok(Math.abs(moved - top - 400) <= 1, `step ${step}: ${key} went from ${top} to ${moved}`);
	}
	assert.ok((await page.countNodes()) < MAX_NODES);
});

test("a smooth scroll through unmeasured rows goes the whole way", async () => {
	const { page } = await openLongThread();
	for (let step = 0; step < 5; step++) {
		const { key, top } = await firstVisible(page);
		await scrollSmoothly(page, -600);
		const moved = await page.tab.locator(`[data-row="${key}"]`).evaluate((row) => row.getBoundingClientRect().top);
		assert.ok(Math.abs(moved - top - 600) <= 1, `step ${step}: ${key} went from ${top} to ${moved}`);
	}
});

test("a jump to the beginning shows the beginning, and the way back down is smooth too", async () => {
	const { page } = await openLongThread();
	await page.tab.locator("#transcript").press("Home");
	await page.painted();
	const { key, top } = await firstVisible(page);
	const start = await page.tab.locator("#transcript").evaluate((list) => list.getBoundingClientRect().top);
	assert.deepEqual({ key, top }, { key: "item-1", top: start });
	for (let step = 0; step < 20; step++) {
		const { key, top } = await firstVisible(page);
		await scrollBy(page, 300);
		const moved = await page.tab.locator(`[data-row="${key}"]`).evaluate((row) => row.getBoundingClientRect().top);
		assert.ok(Math.abs(moved - top + 300) <= 1, `step ${step}: ${key} went from ${top} to ${moved}`);
	}
});

test("visible rows do not move while text and items arrive below", async () => {
	const { page, thread } = await openLongThread();
	await scrollBy(page, -3_000);
	const row = await watchRow(page, (await firstVisible(page)).key);
	await beginTurn(page, thread);
	await stream(page, thread);
	assert.ok((await row.movement()) <= 1);
});

test("visible rows do not move while a row of 2,000 lines is visible and text arrives", async () => {
	const { page, thread } = await openLongThread(32);
	await scrollBy(page, -5_000);
	const first = await firstVisible(page);
	assert.ok(first.height > 30_000, `${first.height} px`);
	const row = await watchRow(page, first.key);
	await beginTurn(page, thread);
	await stream(page, thread);
	assert.ok((await row.movement()) <= 1);
});

test("the first visible row stays when the window shrinks to 250 px and widens again", async () => {
	const { page } = await openLongThread();
	await scrollBy(page, -3_000);
	const row = await watchRow(page, (await firstVisible(page)).key);
	await page.tab.setViewportSize({ width: 250, height: 700 });
	await page.painted();
	await page.tab.setViewportSize({ width: 900, height: 500 });
	await page.painted();
	assert.ok((await row.movement()) <= 1);
});

test("a reader at the end stays there through streaming and resizing", async () => {
	const { page, thread } = await openLongThread(400);
	await beginTurn(page, thread);
	await stream(page, thread);
	assert.ok((await page.distanceToEnd()) <= 1);
	for (const [width, height] of [
		[420, 400],
		[250, 400],
		[700, 600],
	] as const) {
		await page.tab.setViewportSize({ width, height });
		await page.painted();
		assert.ok((await page.distanceToEnd()) <= 1);
	}
});

test("the pill counts what is new since the reader left the end, and leads there", async () => {
	const { page, thread } = await openLongThread(400);
	const pill = page.tab.locator("#new-pill");
	await page.publish(...thread.turn().ask("Seen").answer("Seen answer").events.slice(-3));
	assert.equal(await pill.count(), 0);
	await scrollBy(page, -3_000);
	assert.equal(await pill.count(), 0);
	await page.publish(...thread.turn().ask("One more").answer("One more answer").events.slice(-3));
	assert.equal(await pill.textContent(), "2 new");
	await pill.click();
	await page.painted();
	assert.ok((await page.distanceToEnd()) <= 1);
	assert.equal(await pill.count(), 0);
});

test("a row that the reader opens stays under the pointer", async () => {
	const { page } = await openLongThread(400);
	const line = page.tab.locator('[data-kind="toolCall"] .fold-line').last();
	const before = await line.boundingBox();
	await line.click();
	await page.painted();
	assert.equal(await line.getAttribute("aria-expanded"), "true");
	assert.ok(Math.abs(((await line.boundingBox())?.y ?? 0) - (before?.y ?? 0)) <= 1);
});

test("one turn of the wheel takes a reader away from the end, however fast text arrives", async () => {
	const { page, thread } = await openLongThread(400);
	await beginTurn(page, thread);
	const deltas = Array.from({ length: 120 }, (_, index) => thread.delta("streamed", index * 6, "word\n\n"));
	const streamed = publishEachFrame(page, deltas);
	await turnWheel(page, -600, () => streamed);
	assert.ok((await page.distanceToEnd()) >= 600);
});

test("arriving text does not stop a scroll in progress", async () => {
	const { page, thread } = await openLongThread(400);
	await beginTurn(page, thread);
	const { key, top } = await firstVisible(page);
	await turnWheel(page, -600, () => stream(page, thread));
	const moved = await page.tab.locator(`[data-row="${key}"]`).evaluate((row) => row.getBoundingClientRect().top);
	assert.ok(Math.abs(moved - top - 600) <= 1, `${key} went from ${top} to ${moved}`);
});

test("arriving text does not pull back a reader who scrolls up a little at a time", async () => {
	const { page, thread } = await openLongThread(400);
	await beginTurn(page, thread);
	for (let step = 0; step < 20; step++) {
		await scrollBy(page, -4);
		await page.publish(thread.delta("streamed", step * 6, "more\n\n"));
	}
	assert.ok((await page.distanceToEnd()) >= 80);
});
