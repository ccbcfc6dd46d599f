import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { GUARD_MS, REPLACED_MS } from "../../media/model/approval/press-guard.ts";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { aCommand, anApproval, aPatch } from "./an-approval.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";
import { scrollThrough } from "./scroll-through.ts";

const pages = usePages();

const WIDE = `node -e "${"process.stdout.write('x');".repeat(6)}" && rm -rf ~/projects`;

/** A turn that asks about these at once. */
async function openWith(
	size: { readonly width: number; readonly height: number },
	...changes: readonly Partial<ApprovalRequest>[]
) {
	const page = await pages.reuse();
	await page.tab.setViewportSize(size);
	await page.tell({ type: "thread", threadId: null, title: "" });
	await page.tab.mouse.move(5, 5);
	await page.tab.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
	const thread = new AThread().turn({ cwd: "/repo/app", roots: ["/repo/app"] }).ask("Publish it");
	await page.showThread(thread.events);
	await page.takePosted();
	for (const [index, change] of changes.entries()) {
		const request = anApproval({ approvalId: `a${index + 1}`, digest: `digest ${index + 1}`, ...change });
		await page.publish(thread.next({ type: "approvalRequested", request }));
	}
	await page.passTime(GUARD_MS);
	return { page, thread };
}

function allow(page: ChatPage, approvalId: string): Locator {
	return page.tab.locator(`[data-approval=${approvalId}] [data-decision=allow]`);
}

const FOUR = [
	{ subject: aCommand({ argv: ["npm", "test"] }) },
	{ subject: aCommand({ argv: ["sh", "-c", WIDE], shell: WIDE }) },
	{ subject: aCommand({ argv: ["npm", "run", "lint"] }) },
	{ subject: aPatch() },
];

test("of several approvals one is shown, and it can be allowed once every line of it has been in view", async () => {
	const { page } = await openWith({ width: 431, height: 833 }, ...FOUR);
	for (const [index, shown] of ["a1", "a2", "a3", "a4"].entries()) {
		assert.deepEqual(await page.tab.locator("[data-approval]").evaluateAll(readNames), [shown]);
		assert.equal(await page.tab.locator(".approvals-pager").innerText(), `${index + 1} of 4`);
		await page.tab.locator("[data-decision=deny]").focus();
		// The first one has been there for a while.
		if (index > 0) await page.tab.keyboard.press("Alt+Enter");
		assert.deepEqual(await page.takePosted(), [], "it has only just come");
		for (const part of [".approvals", ".long-part"]) await scrollThrough(page, part);
		await page.passTime(REPLACED_MS);
		assert.equal(await allow(page, shown).isEnabled(), true, shown);
		if (index < 3) await page.tab.getByRole("button", { name: "Next approval" }).click();
		await page.painted();
	}
	assert.deepEqual(await page.takePosted(), []);

	function readNames(cards: readonly Element[]): readonly (string | null)[] {
		return cards.map((card) => card.getAttribute("data-approval"));
	}
});

test("after an answer the next approval is shown from its first line, with the focus on Deny", async () => {
	const { page, thread } = await openWith({ width: 431, height: 833 }, ...FOUR);
	for (const approvalId of ["a1", "a2", "a3", "a4"]) {
		const card = await page.tab.locator(`[data-approval=${approvalId}]`).boundingBox();
		const list = await page.tab.locator(".approvals").boundingBox();
		assert.ok(card && list && card.y >= list.y - 1 && card.y < list.y + list.height / 2, `${approvalId} is in view`);
		await page.passTime(REPLACED_MS);
		await page.tab.keyboard.press("Alt+Backspace");
		const [answer] = await page.takePosted();
		assert.equal(answer?.type === "answerApproval" && answer.approvalId, approvalId);
		await page.publish(thread.next({ type: "approvalResolved", approvalId, decision: "deny", by: "user" }));
	}
});

test("a reader at the end is there after an answer, too, and follows what comes next", async () => {
	const page = await pages.reuse();
	await page.tab.setViewportSize({ width: 260, height: 500 });
	await page.tell({ type: "thread", threadId: null, title: "" });
	const thread = new AThread();
	for (let turn = 0; turn < 12; turn += 1) thread.turn().ask("Go on").answer("Some words. ".repeat(60)).end();
	await page.showThread(thread.turn().ask("Publish it").answer("Let me see.").events);
	const call = { kind: "command", callId: "call-1", name: "run_command", title: "Run it", arguments: "{}" } as const;
	const distances: number[] = [];
	for (const event of [
		thread.next({ type: "itemStarted", item: { ...call, id: "c1" as never, status: "running" } }),
		thread.next({ type: "approvalRequested", request: anApproval() }),
		thread.next({ type: "approvalResolved", approvalId: "a1", decision: "deny", by: "user" }),
		thread.next({ type: "itemCompleted", item: { ...call, id: "c1" as never, status: "failed", output: "Denied." } }),
		thread.next({
			type: "itemCompleted",
			item: { kind: "agentMessage", id: "m1" as never, text: "More. ".repeat(200) },
		}),
	]) {
		await page.publish(event);
		distances.push(await page.distanceToEnd());
	}
	assert.deepEqual(
		distances.map((distance) => distance <= 1),
		Array(5).fill(true),
		String(distances),
	);
});

test("while an approval waits, everything else in the dock makes way except a draft and Stop", async () => {
	const { page } = await openWith({ width: 431, height: 833 }, {});
	const changes = { files: 1, hunks: 2, runWithBuild: [], list: [] };
	await page.tell({ type: "panel", panel: aPanel({ changes, next: aNextTurn({ threadId: THREAD }) }) });
	const visible = async () => {
		const parts = [".changes-bar", ".status-row", "#footer", "#composer", "#stop"];
		const seen = await Promise.all(parts.map((part) => page.tab.locator(part).isVisible()));
		return parts.filter((_, index) => seen[index]);
	};
	assert.deepEqual(await visible(), ["#composer", "#stop"]);
	const low = await page.tab.locator(".composer").boundingBox();
	await page.tab.locator("#composer").fill("and then");
	await page.tab.locator("[data-decision=deny]").focus();
	const high = await page.tab.locator(".composer").boundingBox();
	assert.ok((low?.height ?? 0) < 40 && (high?.height ?? 0) > (low?.height ?? 0), `${low?.height} ${high?.height}`);
	await page.tab.locator("#composer").fill("");
});

test("in a low or narrow window an approval shows its first lines, and can be allowed once all have been in view", async () => {
	for (const size of [
		{ width: 420, height: 430 },
		{ width: 420, height: 300 },
		{ width: 168, height: 600 },
	]) {
		const { page } = await openWith(size, { subject: aCommand({ argv: ["sh", "-c", WIDE], shell: WIDE }) });
		const title = page.tab.locator(".approval-head");
		const [head, list, answers] = await Promise.all(
			[title, page.tab.locator(".approvals"), page.tab.locator(".answers")].map((one) => one.boundingBox()),
		);
		assert.ok(head && list && answers);
		assert.ok(head.y >= list.y && head.y + head.height <= Math.min(answers.y, size.height), JSON.stringify(size));
		assert.equal(await allow(page, "a1").isEnabled(), false, JSON.stringify(size));
		for (const part of [".dock", ".approvals"]) await scrollThrough(page, part);
		await page.tab.locator(".long-part").evaluate((part) => part.scrollIntoView({ block: "start" }));
		await scrollThrough(page, ".long-part");
		await page.passTime(GUARD_MS);
		assert.equal(await allow(page, "a1").isEnabled(), true, JSON.stringify(size));
	}
});

const LONG = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join("\n");

test("from Deny, Page Down goes through every line of an approval without skipping one, in any window", async () => {
	for (const size of [
		{ width: 420, height: 833 },
		{ width: 420, height: 430 },
		{ width: 420, height: 300 },
		{ width: 168, height: 600 },
	]) {
		const why = "check the package contents ".repeat(30);
		const { page } = await openWith(size, { subject: aCommand({ argv: ["sh", "-c", LONG], shell: LONG, why }) });
		await page.tab.locator("[data-decision=deny]").focus();
		for (let presses = 0; presses < 60 && !(await allow(page, "a1").isEnabled()); presses += 1)
			await press(page, "PageDown");
		assert.equal(await allow(page, "a1").isEnabled(), true, JSON.stringify(size));
		await page.tab.keyboard.press("Alt+Enter");
		assert.deepEqual(await page.takePosted(), [], "it has only just become possible");
	}
});

test("from Deny, the arrow keys go through every line of an approval, and back to its first one", async () => {
	for (const size of [
		{ width: 420, height: 833 },
		{ width: 420, height: 300 },
	]) {
		const { page } = await openWith(size, { subject: aCommand({ argv: ["sh", "-c", LONG], shell: LONG }) });
		await page.tab.locator("[data-decision=deny]").focus();
		for (let presses = 0; presses < 120 && !(await allow(page, "a1").isEnabled()); presses += 1)
			await press(page, "ArrowDown");
		assert.equal(await allow(page, "a1").isEnabled(), true, JSON.stringify(size));
		const readTops = () =>
			page.tab.locator(".approval .long-part, .approvals").evaluateAll((all) => all.map((one) => one.scrollTop));
		for (let presses = 0; presses < 120 && (await readTops()).join() !== "0,0"; presses += 1)
			await press(page, "ArrowUp");
		assert.deepEqual(await readTops(), [0, 0], JSON.stringify(size));
	}
});

test("in a narrow panel, the names of the facts take less than a third of an approval", async () => {
	const { page } = await openWith({ width: 290, height: 700 }, { subject: aCommand({ argv: ["npm", "test"] }) });
	const [names = 1, all = 1] = await page.tab
		.locator(".facts")
		.evaluate((facts) => [facts.querySelector("dt")?.getBoundingClientRect().width, facts.clientWidth]);
	assert.ok(names < all / 3, `${names} of ${all}`);
});

test("Home and End go to the ends of what scrolls in an approval, then of the list, and allow nothing", async () => {
	const why = "check the package contents ".repeat(60);
	const { page } = await openWith(
		{ width: 420, height: 500 },
		{ subject: aCommand({ argv: ["sh", "-c", LONG], shell: LONG, why }) },
	);
	const distances = () =>
		page.tab.evaluate(() =>
			[".approval .long-part", ".approvals"].map((selector) => {
				const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = document.querySelector(selector) ?? {};
				return scrollTop === 0 ? "start" : scrollHeight - clientHeight - scrollTop < 1 ? "end" : "between";
			}),
		);
	const walked: (readonly string[])[] = [];
	for (const key of ["End", "End", "Home", "Home"]) {
		await press(page, key);
		walked.push(await distances());
	}
	assert.deepEqual(walked, [
		["end", "start"],
		["end", "end"],
		["start", "between"],
		["start", "start"],
	]);
	assert.equal(await allow(page, "a1").isEnabled(), false);
});

test("in a note, Page Down and End move the caret, not the approval", async () => {
	const { page } = await openWith(
		{ width: 420, height: 833 },
		{ approvalId: "noted", subject: aCommand({ argv: ["sh", "-c", LONG], shell: LONG }) },
	);
	await page.tab.getByRole("button", { name: "Deny and explain…" }).click();
	await page.painted();
	await page.tab.keyboard.type("use yarn");
	for (const key of ["Home", "PageDown", "End", "Home"]) await press(page, key);
	await page.tab.keyboard.type("no, ");
	assert.equal(await page.tab.getByLabel("Note for the model").inputValue(), "no, use yarn");
	assert.equal(await page.tab.locator(".approval .long-part").evaluate(({ scrollTop }) => scrollTop), 0);
});

async function press(page: ChatPage, key: string): Promise<void> {
	await page.tab.keyboard.press(key);
	await page.painted();
}

test("jumping to the end of a long command shows only its last lines, and allows nothing", async () => {
	const { page } = await openWith(
		{ width: 420, height: 833 },
		{ subject: aCommand({ argv: ["sh", "-c", LONG], shell: LONG }) },
	);
	await page.tab.locator(".long-part").evaluate((part) => part.scrollTo(0, part.scrollHeight));
	await page.painted();
	assert.equal(await allow(page, "a1").isEnabled(), false);
	await page.tab.locator(".long-part").evaluate((part) => part.scrollTo(0, 0));
	await scrollThrough(page, ".long-part");
	assert.equal(await allow(page, "a1").isEnabled(), true);
});

test("a press that comes too soon is ignored, explained, and moves nothing", async () => {
	const { page, thread } = await openWith({ width: 420, height: 833 }, {});
	const request = anApproval({ approvalId: "b1", digest: "b" });
	await page.publish(thread.next({ type: "approvalResolved", approvalId: "a1", decision: "deny", by: "host" }));
	await page.publish(thread.next({ type: "approvalRequested", request }));
	const place = await allow(page, "b1").boundingBox();
	await page.tab.locator("[data-decision=abort]").click();
	assert.deepEqual(await page.takePosted(), []);
	assert.equal(
		await page.tab.locator(".approval .too-soon").innerText(),
		"This has just changed. Check it and press again.",
	);
	assert.deepEqual(await allow(page, "b1").boundingBox(), place);
	await page.passTime(3_000);
	assert.equal(await page.tab.locator(".approval .too-soon").innerText(), "");
});

test("an explanation can be typed as soon as its field opens, and its keys answer nothing", async () => {
	const { page } = await openWith({ width: 420, height: 833 }, {});
	await page.tab.getByRole("button", { name: "Deny and explain…" }).click();
	await page.painted();
	await page.tab.keyboard.type("use yarn 4");
	await page.tab.keyboard.press("Alt+Enter");
	await page.tab.keyboard.press("Alt+Backspace");
	assert.match(await page.tab.getByLabel("Note for the model").inputValue(), /^use yarn/);
	assert.deepEqual(await page.takePosted(), []);
});

test("an explanation that is begun is still there after a look at the next approval", async () => {
	const { page } = await openWith({ width: 420, height: 833 }, ...FOUR);
	const explain = page.tab.getByRole("button", { name: "Deny and explain…" });
	await explain.click();
	await page.tab.getByLabel("Note for the model").fill("use yarn 4");
	await page.tab.getByRole("button", { name: "Next approval" }).click();
	await page.painted();
	await page.tab.getByRole("button", { name: "Previous approval" }).click();
	await page.painted();
	await page.passTime(REPLACED_MS);
	await explain.click();
	assert.equal(await page.tab.getByLabel("Note for the model").inputValue(), "use yarn 4");
});
