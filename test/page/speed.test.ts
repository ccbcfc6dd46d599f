// What takes how long; nothing else may run beside it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anAnswerInFlight } from "./a-thread.ts";
import { aLongThread } from "./long-thread.ts";
import { launchPages, type PageBrowser, THREAD } from "./open-page.ts";
import { sendOneByOne } from "./reader.ts";

const MAX_NODES = 1_500;
const MAX_OPEN_MS = 1_000;
/** Far above what is measured; a page that draws per delta needs seconds for a key. */
const MAX_KEY_MS = 250;

let pages: PageBrowser;
before(async () => {
	pages = await launchPages();
});
after(() => pages[Symbol.asyncDispose]());

test("a thread of 5,000 items opens at its end with few elements", async (t) => {
	const page = await pages.open();
	const took = await page.showThread(aLongThread(5_000).events);
	const nodes = await page.countNodes();
	t.diagnostic(`${nodes} elements, ${Math.round(took)} ms from the events to the painted thread`);
	assert.ok(nodes < MAX_NODES, `${nodes} elements`);
	assert.ok(took < MAX_OPEN_MS, `${took} ms`);
	assert.ok((await page.distanceToEnd()) <= 1);
	assert.ok(await page.tab.getByText("That is all about 1249.").isVisible());
});

test("typing stays quick while 20,000 deltas arrive, and none of them is lost", async (t) => {
	const page = await pages.open();
	const { events, deltas, text } = anAnswerInFlight();
	await page.showThread(events);
	await page.tab.locator("#composer").focus();
	const watch = await page.tab.evaluateHandle(() => {
		const durations: number[] = [];
		new PerformanceObserver((list) => {
			for (const { name, duration } of list.getEntries()) if (name === "keydown") durations.push(duration);
		}).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
		return durations;
	});
	const streamed = sendOneByOne(page, deltas);
	const typed = "typing while the answer streams in ".repeat(2);
	await page.tab.keyboard.type(typed, { delay: 20 });
	await streamed;
	await page.painted();
	await page.painted();
	assert.equal(await page.tab.locator("#composer").inputValue(), typed);
	const durations = await watch.jsonValue();
	t.diagnostic(
		`${durations.length} of ${typed.length} keys took 16 ms or more, the slowest ${Math.max(0, ...durations)} ms`,
	);
	assert.ok(Math.max(0, ...durations) < MAX_KEY_MS);
	await page.tell({ type: "events", threadId: THREAD, events: [], loading: false });
	const copied = await page.tab.locator("[data-row]").last().textContent();
	assert.equal(copied, text.trimEnd().split("\n\n").at(-1));
	assert.deepEqual(await page.posted(), [{ type: "ready" }]);
});
