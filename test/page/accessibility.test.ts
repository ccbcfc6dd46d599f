import assert from "node:assert/strict";
import { test } from "node:test";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { aReport } from "./a-report.ts";
import { AThread } from "./a-thread.ts";
import { aCommand, anApproval, aPatch } from "./an-approval.ts";
import type { ChatPage } from "./chat-page.ts";
import { findViolations } from "./find-violations.ts";
import { usePages } from "./open-page.ts";
import { THEMES, type ThemeName } from "./themes.ts";

const CODE =
	"```ts\n// why\n@meta\nexport class Alpha { count: number = 100; compute(part: Map) { return /re+/.test('text'); } }\n```";
const MORE = '```diff\n- old\n+ new\n```\n\n```html\n<a href="x">&amp;</a>\n```\n\n```yaml\nkey: true # note\n```';
const ANSWER = `# Title\n\nText with \`code\`, **bold**, [a link](https://example.com).\n\n${CODE}\n\n${MORE}\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n> quote`;

const pages = usePages();

function aFullThread(): AThread {
	const thread = new AThread().turn().ask("Question");
	const fragment = { kind: "environment", role: "user", origin: "host", summary: "cwd /app", tokens: 12 } as const;
	thread.add({ type: "contextUpdated", fragments: [fragment] });
	thread.item({ kind: "reasoning", text: "A thought." });
	const call = { kind: "toolCall", callId: "c", name: "read_file", title: "Read a.ts" } as const;
	thread.item({ ...call, status: "failed", arguments: "{}", output: "line\n".repeat(60) });
	addCards(thread);
	thread.item({ kind: "notice", level: "info", text: "A notice." });
	thread.add({ type: "warning", code: "w", message: "A warning." }).answer(ANSWER);
	return thread.add({ type: "turnCompleted", status: "failed", error: { code: "auth", message: "Refused." } });
}

/** Every card, and every colour a command may ask for. */
function addCards(thread: AThread): void {
	const call = { kind: "toolCall", callId: "c", title: "" } as const;
	const colors = [31, 32, 33, 34, 35, 36, 2].map((code) => `\x1B[${code}mcolour\x1B[0m`).join(" ");
	const run = { ...call, name: "run_command", arguments: JSON.stringify({ command: "npm test" }) } as const;
	thread.item({ ...run, status: "completed", output: `Exit code 1 after 1.0 s.\nOutput:\n${colors}` });
	const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n same\n-old\n+new\n*** Add File: b.ts\n+x\n*** End Patch";
	thread.item({ ...call, name: "apply_patch", arguments: JSON.stringify({ patch }), status: "completed" });
	const steps = ["done", "running", "pending"].map((status) => ({ text: status, status }));
	thread.item({ ...call, name: "update_plan", arguments: JSON.stringify({ steps }), status: "completed" });
	thread.item(aReport());
	const fragment = { kind: "p", role: "user", origin: "host", summary: "permissions: a → b", tokens: 1 } as const;
	thread.add({ type: "contextUpdated", fragments: [fragment] });
}

/** A turn that waits for answers, in a thread without limits. */
function aWaitingThread(): AThread {
	const thread = new AThread().turn().ask("Go");
	thread.add({ type: "approvalRequested", request: anApproval({ approvalId: "0", subject: aPatch() }) });
	thread.add({ type: "approvalResolved", approvalId: "0", decision: "deny", by: "user" });
	thread.add({ type: "approvalRequested", request: anApproval({ subject: aCommand({ argv: ["ѕudо", "a\u202Eb"] }) }) });
	return thread.add({ type: "approvalRequested", request: anApproval({ approvalId: "a2", subject: aPatch() }) });
}

async function refusePrompt(page: ChatPage): Promise<void> {
	await page.tab.locator("#composer").fill("One more question");
	await page.tab.locator("#composer").press("Enter");
	const [id = ""] = (await page.takePosted()).flatMap((message) => (message.type === "submit" ? [message.id] : []));
	await page.tell({ type: "submitted", id, problem: "This could not be sent." });
	await page.tab.locator(".composer [role=alert]").getByText("This could not be sent.").waitFor();
}

for (const theme of Object.keys(THEMES) as ThemeName[]) {
	test(`axe finds no violation in the ${theme} theme`, async () => {
		const page = await pages.open({ theme, height: 1_600 });
		await page.tell({ type: "panel", panel: aPanel({ trusted: false, folders: [] }) });
		await page.tell({ type: "thread", threadId: null, title: "" });
		const empty = await findViolations(page);
		await page.showThread(aFullThread().events);
		await page.tell({ type: "problem", message: "A problem." });
		for (const fold of await page.tab.locator(".fold-line").all()) await fold.click();
		await refusePrompt(page);
		const full = await findViolations(page);
		await page.tab.locator("#composer").fill("/");
		await page.showThread(aWaitingThread().events);
		await page.tell({ type: "panel", panel: aPanel({ next: aNextTurn({ mode: "full", name: "Full Access" }) }) });
		await page.tab.locator(".approval [aria-expanded=false]").last().click();
		await page.painted();
		const waiting = await findViolations(page);
		const nothing = { empty: [], full: [], waiting: [], policy: [] };
		assert.deepEqual({ empty, full, waiting, policy: await page.violations() }, nothing);
	});
}

test("a turn's start and end are announced, but not its text", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("one").end();
	await page.showThread(thread.events);
	const announced = page.tab.locator(".panel > [role=status]");
	assert.equal(await page.tab.locator("#transcript").getAttribute("aria-live"), "off");
	assert.equal(await announced.textContent(), "");
	const start = thread.events.length;
	thread.turn().begin({ kind: "agentMessage", id: "m", text: "" });
	await page.publish(...thread.events.slice(start), thread.delta("m", 0, "words"));
	assert.equal(await announced.textContent(), "Vitrine is working.");
	await page.publish(thread.next({ type: "turnCompleted", status: "completed" }));
	assert.equal(await announced.textContent(), "Vitrine has answered.");
});

test("everything can be reached with the keyboard alone", async () => {
	const page = await pages.open({ height: 1_600 });
	await page.showThread(aFullThread().events);
	const reached = new Set<string>();
	for (let press = 0; press < 90; press++) {
		await page.tab.keyboard.press("Tab");
		reached.add(await page.tab.evaluate(() => document.activeElement?.outerHTML.slice(0, 200) ?? ""));
	}
	const reachable = await page.tab
		.locator("button:enabled, [role=link], textarea, pre, #transcript")
		.evaluateAll((all) => all.map((element) => element.outerHTML.slice(0, 200)));
	assert.deepEqual(
		reachable.filter((element) => !reached.has(element)),
		[],
	);
});

test("right-to-left text is aligned right, code is not", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Question").answer("مرحبا بالعالم\n\nplain\n\n```\nשלום\n```").events);
	const starts = await page.tab.evaluate(() =>
		[...document.querySelectorAll(".markdown p, .markdown code")].map((element) => {
			const range = document.createRange();
			range.selectNodeContents(element);
			const box = (element.closest("pre") ?? element).getBoundingClientRect();
			const text = range.getBoundingClientRect();
			return box.right - text.right < text.left - box.left ? "right" : "left";
		}),
	);
	assert.deepEqual(starts, ["right", "left", "left"]);
});

test("nothing spins when the reader has asked for less motion", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("one").events);
	const moving = await page.tab.evaluate(() =>
		[true, false].map((isLess) => {
			document.body.classList.toggle("vscode-reduce-motion", isLess);
			return document.getAnimations().length;
		}),
	);
	assert.deepEqual(moving, [0, 1]);
});
