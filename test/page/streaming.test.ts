import assert from "node:assert/strict";
import { test } from "node:test";
import { aPanel } from "./a-panel.ts";
import { AThread, anAnswerInFlight } from "./a-thread.ts";
import { THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";
import { publishEachFrame } from "./reader.ts";

const pages = usePages();

test("streaming never touches the composer", async () => {
	const page = await pages.open();
	const { events, deltas } = anAnswerInFlight();
	await page.showThread(events);
	await page.tab.locator("#composer").fill("half a prompt");
	const changes = await page.tab.locator(".composer").evaluateHandle((composer) => {
		const seen: string[] = [];
		new MutationObserver((records) => seen.push(...records.map(({ type }) => type))).observe(composer, {
			subtree: true,
			childList: true,
			attributes: true,
			characterData: true,
		});
		return seen;
	});
	await publishEachFrame(page, deltas.slice(0, 2_000), 100);
	await page.painted();
	assert.deepEqual(await changes.jsonValue(), []);
});

test("a burst of deltas is drawn once a frame, not once a delta", async () => {
	const page = await pages.open();
	const { events, deltas } = anAnswerInFlight();
	await page.showThread(events);
	const drawings = await page.tab.locator("#transcript").evaluateHandle((list) => {
		const seen = { count: 0 };
		new MutationObserver(() => seen.count++).observe(list, { subtree: true, childList: true, characterData: true });
		return seen;
	});
	await publishEachFrame(page, deltas.slice(0, 5_000), 100);
	await page.painted();
	// A frame may also move what is drawn, once.
	const { count } = await drawings.jsonValue();
	assert.ok(count <= 2 * 50, `${count} drawings in 50 frames`);
});

test("a growing answer keeps the elements of its finished blocks", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	await page.showThread(thread.events);
	await page.publish(thread.delta("m", 0, "First paragraph.\n\nSecond"));
	const first = await page.tab.locator('[data-row="m.0"] p').elementHandle();
	await page.publish(thread.delta("m", 24, " paragraph.\n\n- a list\n"));
	assert.ok(await first?.evaluate((element) => element.isConnected));
	assert.deepEqual(await page.rowWords(), ["First paragraph.", "Second paragraph.", "a list"]);
});

test("a gap in the events makes the page request the thread again, and the reader's place survives", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("one").answer("two");
	await page.showThread(thread.events);
	await page.takePosted();
	thread.answer("three").answer("four");
	await page.publish(...thread.events.slice(-1));
	assert.deepEqual(await page.takePosted(), [{ type: "resync" }]);
	const one = await page.tab.locator('[data-row="item-1"]').elementHandle();
	await page.showThread(thread.events);
	assert.ok(await one?.evaluate((element) => element.isConnected));
	assert.deepEqual(await page.rowWords(), ["one", "two", "three", "four"]);
	assert.deepEqual(await page.posted(), []);
});

test("events of another thread are not shown", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("mine").events);
	const events = new AThread().turn().ask("their first").ask("their second").events;
	await page.tell({ type: "events", threadId: "thread-2", events, loading: false });
	assert.deepEqual(await page.rowWords(), ["mine"]);
});

test("a page reloaded in mid-turn shows the same as one that was not", async () => {
	const page = await pages.open();
	const { events, deltas } = anAnswerInFlight();
	await page.showThread(events);
	await page.publish(...deltas.slice(0, 300));
	const shown = await page.tab.locator("#transcript").innerText();
	await page.reload();
	const text = deltas.slice(0, 300).map(({ event }) => (event.type === "itemDelta" ? event.text : ""));
	const live = { turnId: "turn-1", itemId: "long", itemKind: "agentMessage", text: text.join("") } as const;
	await page.tell(
		{ type: "panel", panel: aPanel() },
		{ type: "thread", threadId: THREAD, title: "A thread" },
		{ type: "events", threadId: THREAD, events, live: [live], loading: false },
	);
	await page.publish(...deltas.slice(280, 300));
	assert.equal(await page.tab.locator("#transcript").innerText(), shown);
});
