// How much work things are, counted. How long they take is measured by test/bench/panel.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { anAnswerInFlight } from "./a-thread.ts";
import type { ChatPage } from "./chat-page.ts";
import { countWork, type Work } from "./count-work.ts";
import { aLongThread } from "./long-thread.ts";
import { usePages } from "./open-page.ts";
import { publishEachFrame, sendOneByOne } from "./reader.ts";

const MAX_ELEMENTS = 1_500;
/** About twice what is counted. Work that grows with the thread would be thousands. */
const MAX_CALLS_PER_ITEM = 120;
const MAX_CALLS_PER_DELTA = 70;
const MAX_CALLS_PER_KEY = 1_000;
const KEYS = "abcdefghij";

const pages = usePages();

test("a thread of 5,000 items opens at its end with few elements, at no more work per item than one of 1,000", async (t) => {
	const opened: Work[] = [];
	for (const items of [1_000, 5_000]) {
		const page = await pages.open();
		const { events } = aLongThread(items);
		opened.push(await countWork(page, () => page.showThread(events)));
		assert.ok((await page.countNodes()) < MAX_ELEMENTS);
		assert.ok((await page.distanceToEnd()) <= 1);
		assert.ok(await page.tab.getByText(`That is all about ${items / 4 - 1}.`).isVisible());
	}
	t.diagnostic(JSON.stringify(opened));
	const [short, long] = opened;
	assert.ok(short && long && long.elements < MAX_ELEMENTS);
	assert.ok(long.calls <= 5 * short.calls && long.calls <= 5_000 * MAX_CALLS_PER_ITEM);
});

/** Delivers events as a message each, all of them before the next frame. */
async function burst(page: ChatPage, events: readonly PublishedEvent[]): Promise<void> {
	await publishEachFrame(page, events, events.length);
	await page.painted();
}

test("receiving text, drawing it and pressing a key cost the same at an answer's 20,000th delta as at its 1,000th", async (t) => {
	const page = await pages.open();
	const { events, deltas } = anAnswerInFlight();
	await page.showThread(events);
	await page.tab.locator("#composer").focus();
	const counted: Record<"arrived" | "drawn" | "typed", Work>[] = [];
	for (const [from, to] of [
		[0, 1_000],
		[1_000, 20_000],
	] as const) {
		const arrived = await countWork(page, () => burst(page, deltas.slice(from, to - 1)));
		assert.ok(arrived.calls <= (to - from) * MAX_CALLS_PER_DELTA, `${arrived.calls} calls`);
		const drawn = await countWork(page, () => burst(page, deltas.slice(to - 1, to)));
		const typed = await countWork(page, async () => {
			await page.tab.keyboard.type(KEYS);
			await page.painted();
		});
		assert.ok(typed.calls <= KEYS.length * MAX_CALLS_PER_KEY, `${typed.calls} calls`);
		counted.push({ arrived, drawn, typed });
	}
	t.diagnostic(JSON.stringify(counted));
	const [early, late] = counted;
	assert.ok(early && late);
	// Drawn once, so as many elements are made for 19,000 deltas as for 1,000.
	assert.ok(late.arrived.elements <= early.arrived.elements + 10);
	assert.ok(late.drawn.calls <= 2 * early.drawn.calls && late.typed.calls <= 1.2 * early.typed.calls);
});

test("no delta out of 20,000 and no key pressed meanwhile is lost", async () => {
	const page = await pages.open();
	const { events, deltas, text } = anAnswerInFlight();
	await page.showThread(events);
	await page.tab.locator("#composer").focus();
	const streamed = sendOneByOne(page, deltas, 200);
	const typed = "typing while the answer streams in ".repeat(2);
	await page.tab.keyboard.type(typed);
	await streamed;
	await page.painted();
	assert.equal(await page.tab.locator("#composer").inputValue(), typed);
	assert.equal(await page.tab.locator("[data-row]").last().textContent(), text.trimEnd().split("\n\n").at(-1));
	assert.deepEqual(await page.posted(), [{ type: "ready" }]);
});
