import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "./a-thread.ts";
import { findViolations } from "./find-violations.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();
const PROMPT = "Find out why the discount is wrong for ten apples, and say which of the tests should have noticed it.";

test("the prompt of a running turn stays at the top while its answer scrolls, and goes with the turn", async () => {
	const page = await pages.open({ width: 285, height: 500 });
	const thread = new AThread().turn().ask("First").answer("A line.\n\n".repeat(30)).end().turn().ask(PROMPT);
	thread.begin({ kind: "agentMessage", id: "answer", text: "" });
	await page.showThread(thread.events);
	const pinned = page.tab.locator(".pinned-prompt");
	assert.equal(await pinned.count(), 0, "it is in view");
	await page.publish(thread.delta("answer", 0, "Word by word.\n\n".repeat(60)));
	assert.equal(await pinned.innerText(), PROMPT);
	assert.ok(((await pinned.boundingBox())?.height ?? 99) <= 50);
	assert.deepEqual(await findViolations(page), []);
	await pinned.click();
	await page.painted();
	assert.equal(await pinned.count(), 0);
	assert.ok(await page.tab.getByText(PROMPT).isVisible());
	await page.tab.locator("#transcript").press("End");
	await page.painted();
	assert.equal(await pinned.count(), 1);
	await page.publish(thread.next({ type: "turnCompleted", status: "completed" }));
	assert.equal(await pinned.count(), 0);
});

test("code that is scrolled to in a running answer ends up below the pinned prompt", async () => {
	const page = await pages.open({ width: 285, height: 500 });
	const thread = new AThread().turn().ask(PROMPT);
	thread.begin({ kind: "agentMessage", id: "answer", text: "" });
	await page.showThread(thread.events);
	const code = "```js\nlet ten = 10;\n```\n\n";
	await page.publish(thread.delta("answer", 0, `${"Words.\n\n".repeat(40)}${code}${"Words.\n\n".repeat(40)}`));
	await page.tab.keyboard.press("Control+Alt+ArrowUp");
	await page.painted();
	const [pinned, block] = await Promise.all(
		[".pinned-prompt", ".code"].map((part) => page.tab.locator(part).boundingBox()),
	);
	assert.ok((block?.y ?? 0) >= (pinned?.y ?? 0) + (pinned?.height ?? 0), JSON.stringify([pinned, block]));
});
