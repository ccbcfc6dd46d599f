import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { GUARD_MS, REPLACED_MS } from "../../media/model/approval/press-guard.ts";
import { AThread } from "./a-thread.ts";
import { aCommand, anApproval, aPatch } from "./an-approval.ts";
import type { ChatPage } from "./chat-page.ts";
import { usePages } from "./open-page.ts";
import { scrollThrough } from "./scroll-through.ts";

const pages = usePages();

const ENVELOPE = { provider: "demo", model: "demo", window: 1, cwd: "/repo/app", roots: ["/repo/app"], trusted: true };

interface Asked {
	readonly page: ChatPage;
	readonly thread: AThread;
	readonly ask: (change: Partial<ApprovalRequest>) => Promise<void>;
}

/** A turn that runs, and the way to ask something in it. */
async function openTurn({ height = 700 } = {}): Promise<Asked> {
	const page = await pages.reuse();
	await page.tab.setViewportSize({ width: 420, height });
	await page.tell({ type: "thread", threadId: null, title: "" });
	await page.tab.mouse.move(5, 5);
	await page.tab.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
	const thread = new AThread();
	thread.add({ type: "turnStarted", envelope: { ...ENVELOPE, tools: [] } }).ask("Publish it");
	await page.showThread(thread.events);
	await page.takePosted();
	const ask = (change: Partial<ApprovalRequest>) =>
		page.publish(thread.next({ type: "approvalRequested", request: anApproval(change) }));
	return { page, thread, ask };
}

/** Until presses count. */
async function beyondGuard(page: ChatPage): Promise<void> {
	await page.passTime(GUARD_MS);
}

function cards(page: ChatPage): Locator {
	return page.tab.locator("[data-approval]");
}

function button(page: ChatPage, decision: string): Locator {
	return page.tab.locator(`[data-decision=${decision}]`).first();
}

const ANSWER = { type: "answerApproval", approvalId: "a1", digest: anApproval().digest } as const;

test("an approval without a sandbox says so, offers exactly its command as a rule, and is never allowed with others", async () => {
	const { page, ask } = await openTurn();
	const argv = ["/bin/bash", "-c", "npm test"];
	const sandbox = "no sandbox, with the user's rights";
	const rulesOffered = [{ prefix: argv, sandbox: "none" as const }];
	const subject = aCommand({ argv, shell: "npm test", sandbox, containment: "none", rulesOffered });
	await ask({ subject });
	await ask({ approvalId: "a2", subject });
	const text = (await cards(page).first().innerText()).replaceAll(/\s*\n\s*/g, "\n");
	assert.match(text, /^Run without a sandbox\?\nRuns without a sandbox, with your rights\.\nnpm test\n/);
	assert.match(text, /: exactly \/bin\/bash -c 'npm test' runs without a sandbox and without asking, in all threads\./);
	assert.doesNotMatch(text, /commands that start with/);
	assert.equal(await page.tab.locator(".allow-group").count(), 0);
	await beyondGuard(page);
	await button(page, "allowRule").click();
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "allowRule" }]);
});

test("“Always allow” names every rule it saves and where it applies: the workspace, unless the user chooses everywhere", async () => {
	const { page, ask } = await openTurn();
	const rulesOffered = [{ prefix: ["npm", "run", "lint"] }, { prefix: ["npm", "test"] }];
	const subject = aCommand({ shell: "npm run lint && npm test", rulesOffered, rulesFolder: "/repo" });
	const choices = ["allow", "allowThread", "allowFolder", "allowRule", "deny", "abort"] as const;
	await ask({ subject, choices: [...choices] });
	const said = async () => (await cards(page).locator(".rule").innerText()).replaceAll(/\s*\n\s*/g, " ").trim();
	assert.equal(
		await said(),
		"“Always allow” saves a rule in your user settings: commands in /repo that start with npm run lint, npm test run without asking. Only in this workspace",
	);
	await beyondGuard(page);
	await page.tab.getByLabel("Only in this workspace").uncheck();
	assert.match(await said(), /commands that start with npm run lint, npm test run without asking, in all threads\./);
	await page.tab.getByLabel("Only in this workspace").check();
	await beyondGuard(page);
	await button(page, "allowFolder").click();
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "allowFolder" }]);
});

test("a command's approval shows everything that decides about it, and each answer is one message", async () => {
	for (const decision of ["deny", "allow", "allowThread", "allowRule", "abort"] as const) {
		const { page, thread, ask } = await openTurn();
		await ask({});
		assert.equal(
			(await cards(page).innerText()).replaceAll(/\s*\n\s*/g, "\n"),
			[
				"Run this command?",
				"npm publish --dry-run",
				"The model says",
				"check the package contents",
				"Why you're asked",
				"The network is off in this thread.",
				"Folder",
				"/repo/app",
				"Sandbox",
				"none: full access",
				"Details: 21 characters, 1 line, 3 arguments, 2 variables",
				"“Always allow” saves a rule in your user settings: commands that start with npm publish --dry-run run without asking, in all threads.",
				"Deny",
				"Allow once",
				"Allow in this thread",
				"Always allow",
				"Deny and explain…",
				"Stop",
			].join("\n"),
		);
		await beyondGuard(page);
		await button(page, decision).click();
		await button(page, decision).click({ force: true });
		assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision }]);
		await page.tab.mouse.move(5, 5);
		await page.publish(thread.next({ type: "approvalResolved", approvalId: "a1", decision, by: "user" }));
		assert.equal(await cards(page).count(), 0);
	}
});

test("an answered approval leaves one line in the transcript, which opens to show what was asked", async () => {
	const { page, thread, ask } = await openTurn();
	await ask({});
	const row = page.tab.locator("[data-kind=approval]");
	assert.equal(await row.innerText(), "Needs your approval: npm publish --dry-run");
	const answer = { approvalId: "a1", decision: "deny", by: "user", note: "not yet" } as const;
	await page.publish(thread.next({ type: "approvalResolved", ...answer }));
	assert.equal(await row.innerText(), "Denied: npm publish --dry-run, with the note “not yet”");
	await row.locator(".fold-line").first().click();
	await row.getByText("Details:").click();
	assert.match(await row.innerText(), /Program\s+\/usr\/bin\/npm\s+Sandbox\s+none: full access\s+Network\s+on/);
	assert.equal(await row.locator("[data-decision]").count(), 0);
});

type Press = "click" | "keys" | "down";

/** Asks, and presses as soon as the approval appears: nothing outside the page is that quick. */
async function askAndPress({ page, thread }: Asked, press: Press): Promise<void> {
	const event = thread.next({ type: "approvalRequested", request: anApproval() });
	await page.tab.evaluate(
		async (json) => {
			window.dispatchEvent(new MessageEvent("message", { data: JSON.parse(json) }));
			while (!document.querySelector("[data-approval]")) await window.stub.nextFrame();
		},
		JSON.stringify({ type: "events", threadId: "thread-1", events: [event], loading: false }),
	);
	await pressAll(page, press);
	await page.painted();
}

/** Presses every answer there is. */
async function pressAll(page: ChatPage, press: Press): Promise<void> {
	await page.tab.locator("[data-approval] [data-decision]").evaluateAll((buttons, how) => {
		for (const button of buttons) {
			const init = { bubbles: true, cancelable: true };
			if (how === "click" && button instanceof HTMLElement) button.click();
			if (how === "down") button.dispatchEvent(new PointerEvent("pointerdown", init));
			if (how !== "keys") continue;
			button.dispatchEvent(new KeyboardEvent("keydown", { ...init, key: "Enter", altKey: true }));
			button.dispatchEvent(new KeyboardEvent("keydown", { ...init, key: "Backspace", altKey: true }));
		}
	}, press);
}

test("clicks and keys within 300 ms of an approval's appearance are ignored, later ones count", async () => {
	for (const press of ["click", "keys"] as const) {
		const turn = await openTurn();
		await askAndPress(turn, press);
		await turn.page.passTime(GUARD_MS - 1);
		await pressAll(turn.page, press);
		assert.deepEqual(await turn.page.takePosted(), [], press);
		await turn.page.passTime(1);
		await pressAll(turn.page, press);
		assert.equal((await turn.page.takePosted()).length, 1, press);
	}
});

test("an approval that scrolls back into view ignores presses as a new one does", async () => {
	const { page, ask } = await openTurn();
	await ask({});
	await beyondGuard(page);
	await page.tell({ type: "shown" });
	await page.tab.keyboard.press("Enter");
	await button(page, "allow").click();
	assert.deepEqual(await page.takePosted(), []);
	await beyondGuard(page);
	await button(page, "allow").click();
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "allow" }]);
});

test("the editor's own key bindings pass through an approval that has just appeared", async () => {
	const { page, ask } = await openTurn();
	await ask({});
	const passed = await button(page, "deny").evaluate((element) => {
		const heard: string[] = [];
		window.addEventListener("keydown", ({ key, defaultPrevented }) => heard.push(`${key} ${defaultPrevented}`));
		for (const key of ["F1", "Tab", "Enter"])
			element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
		return heard;
	});
	assert.deepEqual(passed, ["F1 false", "Tab false"]);
});

test("a press that began too early does not count when it ends", async () => {
	const turn = await openTurn();
	await askAndPress(turn, "down");
	await beyondGuard(turn.page);
	await button(turn.page, "allow").evaluate((element) => (element as HTMLElement).click());
	assert.deepEqual(await turn.page.takePosted(), []);
	await button(turn.page, "allow").click();
	assert.deepEqual(await turn.page.takePosted(), [{ ...ANSWER, decision: "allow" }]);
});

test("a key that is held down answers nothing", async () => {
	const { page, ask } = await openTurn();
	await page.tab.keyboard.down("Enter");
	await ask({});
	await beyondGuard(page);
	await page.tab.keyboard.down("Enter");
	await page.tab.keyboard.up("Enter");
	assert.deepEqual(await page.takePosted(), []);
});

test("the focus goes to Deny, but not away from a user who is typing", async () => {
	const { page, ask } = await openTurn();
	await ask({});
	assert.equal(await focused(page), "deny");
	await ask({ approvalId: "a2", digest: "other" });
	assert.equal(
		await page.tab.evaluate(() => document.activeElement?.closest("[data-approval]")?.getAttribute("data-approval")),
		"a1",
	);
	const writing = await openTurn();
	await writing.page.tab.locator("#composer").focus();
	await writing.page.tab.keyboard.type("next I ");
	await writing.ask({});
	await writing.page.tab.keyboard.type("want y");
	assert.equal(await writing.page.tab.locator("#composer").inputValue(), "next I want y");
	await writing.page.tab.locator("#composer").fill("");
	assert.deepEqual(await writing.page.takePosted(), []);
});

test("an approval leaves the focus with a user who is searching the thread", async () => {
	const { page, ask } = await openTurn();
	await page.tab.keyboard.press("Control+f");
	const find = page.tab.getByLabel("Find in thread");
	await find.waitFor();
	await page.tab.keyboard.type("Publ");
	await page.passTime(2_000);
	await ask({});
	await page.tab.keyboard.type("ish it");
	assert.equal(await find.inputValue(), "Publish it");
	assert.deepEqual(await page.takePosted(), []);
	await page.tab.keyboard.press("Escape");
});

function focused(page: ChatPage): Promise<string | undefined> {
	return page.tab.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.decision);
}

test("an approval is announced to screen readers", async () => {
	const { page, ask } = await openTurn();
	await ask({});
	const hasText = /^Vitrine needs your answer: Run this command\? npm publish --dry-run$/;
	await page.tab.locator(".panel > [role=status]", { hasText }).waitFor({ state: "attached" });
});

test("a repeated command is announced each time, and a turn that continues elsewhere is not announced as ended", async () => {
	const { page, thread, ask } = await openTurn();
	await page.tab.evaluate(() => {
		const region = document.querySelector(".panel > [role=status]");
		const said: string[] = [];
		Object.assign(window, { said });
		const note = () => said.push(region?.textContent ?? "");
		if (region) new MutationObserver(note).observe(region, { childList: true, characterData: true, subtree: true });
	});
	const takeSaid = () => page.tab.evaluate(() => (window as unknown as { said: string[] }).said.splice(0));
	for (const approvalId of ["a1", "a2"]) {
		await ask({ approvalId });
		assert.deepEqual(await takeSaid(), ["Vitrine needs your answer: Run this command? npm publish --dry-run"]);
		await page.publish(thread.next({ type: "approvalResolved", approvalId, decision: "allow", by: "user" } as never));
	}
	await page.tell({ type: "thread", threadId: null, title: "" });
	assert.deepEqual(await takeSaid(), []);
});

test("Alt+Enter allows and Alt+Backspace denies the focused approval", async () => {
	for (const [key, decision] of [
		["Alt+Enter", "allow"],
		["Alt+Backspace", "deny"],
	] as const) {
		const { page, ask } = await openTurn();
		await ask({});
		await beyondGuard(page);
		await page.tab.keyboard.press(key);
		assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision }]);
	}
});

test("a denial can say what to do instead", async () => {
	const { page, ask } = await openTurn();
	await ask({});
	await beyondGuard(page);
	await page.tab.getByRole("button", { name: "Deny and explain…" }).click();
	await page.tab.getByLabel("Note for the model").fill(" use yarn ");
	await beyondGuard(page);
	await page.tab.getByRole("button", { name: "Deny with explanation" }).click();
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "deny", note: "use yarn" }]);
});

test("Enter sends the words of a denial, as everywhere else, and Shift+Enter begins a line of them", async () => {
	const { page, ask } = await openTurn();
	await ask({});
	await beyondGuard(page);
	await page.tab.getByRole("button", { name: "Deny and explain…" }).click();
	await page.tab.keyboard.press("Enter");
	await page.tab.keyboard.type("use yarn");
	await page.tab.keyboard.press("Shift+Enter");
	await page.tab.keyboard.type("or ask");
	await beyondGuard(page);
	assert.deepEqual(await page.takePosted(), []);
	await page.tab.keyboard.press("Enter");
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "deny", note: "use yarn\nor ask" }]);
});

const LONG = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n");

test("a long command, in many lines or in one, can be allowed only once all of it has been in view", async () => {
	for (const line of [LONG, `echo ${"x".repeat(1_000)}`]) {
		const { page, ask } = await openTurn();
		await ask({ subject: aCommand({ argv: ["sh", "-c", line], shell: line }) });
		await beyondGuard(page);
		const states = async () => [
			await button(page, "allow").isDisabled(),
			await button(page, "allowThread").isDisabled(),
			await button(page, "allowRule").isDisabled(),
		];
		assert.deepEqual([await states(), await button(page, "deny").isDisabled()], [[true, true, true], false]);
		await page.tab.keyboard.press("Alt+Enter");
		assert.deepEqual(await page.takePosted(), []);
		await page.tab.locator(".approval .long-part").evaluate(async (part) => {
			for (; part.scrollTop < part.scrollHeight - part.clientHeight; await window.stub.nextFrame())
				part.scrollTop += 40;
		});
		await page.tab.locator("[data-decision=allow]:enabled").waitFor();
		assert.deepEqual(await states(), [false, false, false]);
	}
});

const SPOOFS = {
	"100,000 characters": ["echo", "x".repeat(100_000)],
	"5,000 line ends": ["\n".repeat(5_000), "rm"],
	"5,000 tabs": ["\t".repeat(5_000), "rm"],
	"right to left": ["echo", "\u202Egpj.exe", "\u2066x\u2069"],
	"no width": ["ec\u200Bho", "\u{E0041}\u{E0042}"],
	"combining flood": ["a", "e".concat("\u0301".repeat(500))],
	homoglyphs: ["ѕudо", "rm"],
	"carriage return": ["rm -rf /\recho hi", "x"],
	ansi: ["\x1B[2K\x1B[1Aecho", "\x1B[8mhidden"],
};

test("however a command tries to hide, its reason, folder, sandbox and length are on the first screen", async () => {
	const { page, ask, thread } = await openTurn({ height: 600 });
	const unseen = [];
	for (const [name, argv] of Object.entries(SPOOFS)) {
		await ask({ approvalId: name, subject: aCommand({ argv }) });
		const hidden = await cards(page).evaluate((card) => {
			const window = card.closest(".approvals")?.getBoundingClientRect();
			return [...card.querySelectorAll(".fact")]
				.slice(0, 5)
				.filter((fact) => {
					const { top, bottom } = fact.firstElementChild?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
					return !window || top < window.top || bottom > window.bottom;
				})
				.map((fact) => fact.textContent);
		});
		const text = await page.tab.locator(".approval .command-text").innerText();
		const isBare = /[\p{Cc}\p{Cf}\p{M}]/u.test(text.replaceAll("\n", ""));
		unseen.push([name, hidden, isBare]);
		await page.publish(thread.next({ type: "approvalResolved", approvalId: name, decision: "deny", by: "user" }));
	}
	assert.deepEqual(
		unseen,
		Object.keys(SPOOFS).map((name) => [name, [], false]),
	);
});

test("two commands that differ in any character never look the same", async () => {
	const { page, ask, thread } = await openTurn();
	const looks = new Map<string, string>();
	const twins = [
		"sudo rm",
		"ѕudо rm",
		"sudo  rm",
		"sudo\trm",
		"sudo\u00A0rm",
		"sudo\nrm",
		"sudo\r\nrm",
		"sudo\u200B rm",
	];
	twins.push("s\u0301udo rm", "śudo rm", "sudo rm\n", "sudo rm ", "sudo \\u{200B}rm", "sudo \u200Brm", "\u202Esudo rm");
	for (const [index, shell] of twins.entries()) {
		const approvalId = `t${index}`;
		await ask({ approvalId, digest: "same", subject: aCommand({ argv: ["sh", "-c", shell], shell }) });
		const picture = (await page.tab.locator(".approval .long-part").screenshot()).toString("base64");
		assert.equal(looks.get(picture), undefined, `${JSON.stringify(shell)} looks like ${looks.get(picture)}`);
		looks.set(picture, JSON.stringify(shell));
		await page.publish(thread.next({ type: "approvalResolved", approvalId, decision: "deny", by: "user" }));
	}
	assert.equal(looks.size, twins.length);
});

test("a patch's approval names every file, where it leads, both ends of a move, and what lies outside", async () => {
	const { page, ask } = await openTurn();
	await ask({ subject: aPatch() });
	assert.equal(await page.tab.locator(".approval h2").innerText(), "Change 3 files?");
	assert.deepEqual(
		(await page.tab.locator(".targets li").allInnerTexts()).map((text) => text.split("\n")),
		[
			["Change src/retry.ts +12 −4", "is /repo/app/src/retry.ts"],
			["Change notes.md +1 −0", "is /home/me/.bashrc", "outside the workspace"],
			["Move a.ts +0 −0", "is /repo/app/a.ts", "moves to /tmp/b.ts", "moves outside the workspace"],
		],
	);
	assert.deepEqual(await page.tab.locator(".approval .diff-added").allInnerTexts(), [
		"+12",
		"+1",
		"+0",
		"+new line↵\n",
	]);
	assert.match(await page.tab.locator(".approval > .alarm").innerText(), /^2 files need a closer look\./);
});

test("of a file inside the workspace that a patch replaces, nothing is said but that", async () => {
	const { page, ask } = await openTurn();
	const file = { path: "a.md", resolved: "/repo/app/a.md", operation: "add", added: 3, removed: 3 } as const;
	await ask({ subject: aPatch({ files: [{ ...file, overwrites: true }] }) });
	assert.deepEqual(await page.tab.locator(".approval .alarm").allInnerTexts(), [
		"1 file needs a closer look. The list below says why.",
		"replaces an existing file",
	]);
});

test("further approvals move nothing under the pointer, and a double click answers only one", async () => {
	const { page, thread, ask } = await openTurn();
	await ask({});
	const box = await button(page, "allow").boundingBox();
	const at = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 };
	await page.tab.mouse.move(at.x, at.y);
	await page.painted();
	const under = () =>
		page.tab.evaluate(({ x, y }) => {
			const element = document.elementFromPoint(x, y);
			return [
				element?.closest("[data-decision]")?.textContent,
				element?.closest("[data-approval]")?.getAttribute("data-approval"),
			];
		}, at);
	assert.deepEqual(await under(), ["Allow once", "a1"]);
	await ask({ approvalId: "a2", digest: "second" });
	await ask({ approvalId: "a3", digest: "third" });
	assert.deepEqual(await under(), ["Allow once", "a1"]);
	assert.equal(await page.tab.locator(".approvals-pager").innerText(), "1 of 3");
	await beyondGuard(page);
	await page.tab.mouse.click(at.x, at.y);
	await page.publish(thread.next({ type: "approvalResolved", approvalId: "a1", decision: "allow", by: "user" }));
	assert.deepEqual((await under())[1], "a2");
	await page.passTime(REPLACED_MS - 1);
	await page.tab.mouse.click(at.x, at.y);
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "allow" }]);
	assert.equal(await page.tab.locator(".approvals-pager").innerText(), "1 of 2");
});

test("an approval that replaces another ignores presses for the length of a double click", async () => {
	const { page, thread, ask } = await openTurn();
	await ask({});
	await ask({ approvalId: "a2", digest: "second" });
	await beyondGuard(page);
	await page.publish(thread.next({ type: "approvalResolved", approvalId: "a1", decision: "deny", by: "host" }));
	assert.equal(await focused(page), "deny");
	await beyondGuard(page);
	await page.tab.keyboard.press("Enter");
	assert.deepEqual(await page.takePosted(), []);
	await page.passTime(REPLACED_MS);
	await page.tab.keyboard.press("Enter");
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, approvalId: "a2", digest: "second", decision: "deny" }]);
});

test("the answer is in the row of its call, which opens to show what was asked; there is no second row", async () => {
	const { page, thread } = await openTurn();
	const call = { kind: "command", id: "i1", callId: "call-1", name: "run_command", title: "npm publish" } as const;
	const json = JSON.stringify({ command: "npm publish --dry-run" });
	const item = { ...call, arguments: json, status: "running" } as const;
	await page.publish(
		thread.next({ type: "itemStarted", item } as never),
		thread.next({ type: "approvalRequested", request: anApproval() }),
	);
	const row = page.tab.locator("[data-kind=toolCall]");
	assert.match(await row.innerText(), /Needs your approval.*npm publish --dry-run/s);
	const answer = { approvalId: "a1", decision: "deny", by: "user", note: "not yet" } as const;
	await page.publish(
		thread.next({ type: "approvalResolved", ...answer }),
		thread.next({
			type: "itemCompleted",
			item: { ...item, status: "failed", output: "The user denied this." },
		} as never),
	);
	assert.equal(await page.tab.locator("[data-kind=approval]").count(), 0);
	assert.match((await row.innerText()).replaceAll(/\s+/g, " "), /npm publish --dry-run denied$/);
	assert.equal(await row.locator(".tool-interrupted").count(), 1);
	await row.locator(".fold-line").first().click();
	await row.getByText("Denied, with the note “not yet”").click();
	assert.match(await row.innerText(), /The model says\s+check the package contents/);
	await row.locator(".fold-line").first().click();
});

test("a closed place is asked about by name and purpose, and every answer says how long it holds", async () => {
	const { page, ask, thread } = await openTurn();
	const subject = { kind: "permission" as const, read: ["~/.config/tool/rc"], command: "Run cat ~/.config/tool/rc" };
	await ask({ subject, reason: "Commands cannot read ~/.config/tool/rc." });
	assert.equal(
		(await cards(page).innerText()).replaceAll(/\s*\n\s*/g, "\n").trim(),
		[
			"Allow reading ~/.config/tool/rc?",
			"Command",
			"Run cat ~/.config/tool/rc",
			"Why you're asked",
			"Commands cannot read ~/.config/tool/rc.",
			"“Always allow” lets commands in all threads read ~/.config/tool/rc. It is saved in your user settings.",
			"Deny",
			"Allow once",
			"Allow in this thread",
			"Always allow",
			"Deny and explain…",
			"Stop",
		].join("\n"),
	);
	await beyondGuard(page);
	await button(page, "allowRule").click();
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "allowRule" }]);
	await page.tab.mouse.move(5, 5);
	await page.publish(thread.next({ type: "approvalResolved", approvalId: "a1", decision: "allowRule", by: "user" }));
	await page.tab.getByText("Always allowed").waitFor();
});

test("a network approval shows the whole host, as resolved and as displayed, with the rule that would be saved", async () => {
	const { page, ask } = await openTurn({ height: 900 });
	const host = `xn--pple-43d.${"very-long-".repeat(6)}name.${"x".repeat(63)}.example`;
	const letters = host.replace("xn--pple-43d", "\u0430pple");
	const subject = { kind: "network" as const, host, letters, port: 443, process: "Run curl\u202e", rule: host };
	await ask({ subject, reason: `${host}:443 is not an allowed site.` });
	assert.equal(
		(await cards(page).innerText()).replaceAll(/\s*\n\s*/g, "\n").trim(),
		[
			"Connect to this site?",
			"Site",
			host,
			"Unicode name",
			letters,
			"Port",
			"443",
			"Program",
			"Run curl\\u{202E}",
			"Why you're asked",
			`${host}:443 is not an allowed site.`,
			`“Always allow” adds ${host} to the allowed sites in your user settings, for all threads.`,
			"Deny",
			"Allow once",
			"Allow in this thread",
			"Always allow",
			"Deny and explain…",
			"Stop",
		].join("\n"),
	);
	const spelled = cards(page).locator(".spelled-foreign");
	assert.deepEqual(await spelled.evaluateAll((all) => all.map((one) => one.getAttribute("data-code"))), ["430"]);
	const [card, view] = [await cards(page).boundingBox(), page.tab.viewportSize()];
	assert.ok((card?.width ?? 0) <= (view?.width ?? 0), "a long name does not widen the card");
	await beyondGuard(page);
	await button(page, "allowRule").click();
	assert.deepEqual(await page.takePosted(), [{ ...ANSWER, decision: "allowRule" }]);
	await page.tab.mouse.move(5, 5);
});

const SAME = { subject: aCommand({ sandbox: "workspace", network: "off" }) };

/** Looks at the approvals that come after the one that is shown. */
async function readOn(page: ChatPage, more: number): Promise<void> {
	for (let index = 0; index < more; index += 1) {
		for (const part of [".approvals", ".long-part"]) await scrollThrough(page, part);
		await page.tab.getByRole("button", { name: "Next approval" }).click();
		await page.painted();
	}
	for (const part of [".approvals", ".long-part"]) await scrollThrough(page, part);
	await page.passTime(REPLACED_MS);
}

test("one press allows all approvals of one kind as they are shown, and no others or later ones", async () => {
	const { page, ask, thread } = await openTurn({ height: 900 });
	await ask(SAME);
	assert.equal(await button(page, "allowGroup").count(), 0);
	await ask({ approvalId: "a2", digest: "second", subject: aPatch() });
	await ask({ ...SAME, approvalId: "a3", digest: "third" });
	assert.equal(
		(await page.tab.locator(".allow-group").innerText()).replaceAll(/\s+/g, " "),
		"Approvals 1, 3: commands in the sandbox “workspace” Review each one before allowing all. Allow these 2 once",
	);
	assert.equal(await button(page, "allowGroup").isDisabled(), true);
	await readOn(page, 2);
	await button(page, "allowGroup").click();
	await button(page, "allowGroup").click({ force: true });
	const allowed = [ANSWER, { ...ANSWER, approvalId: "a3", digest: "third" }];
	assert.deepEqual(
		await page.takePosted(),
		allowed.map((answer) => ({ ...answer, decision: "allow" })),
	);
	for (const approvalId of ["a1", "a3"])
		await page.publish(thread.next({ type: "approvalResolved", approvalId, decision: "allow", by: "user" }));
	await ask({ ...SAME, approvalId: "a4", digest: "fourth" });
	assert.deepEqual(await page.takePosted(), []);
	assert.deepEqual([await button(page, "allowGroup").count(), await cards(page).count()], [0, 1]);
});

test("a press meant for two approvals does not answer a third that has just appeared", async () => {
	const { page, ask } = await openTurn({ height: 900 });
	await ask(SAME);
	await ask({ ...SAME, approvalId: "a2", digest: "second" });
	await readOn(page, 1);
	await ask({ ...SAME, approvalId: "a3", digest: "third" });
	assert.equal(await button(page, "allowGroup").isDisabled(), true);
	await button(page, "allowGroup").evaluate((element) => (element as HTMLElement).click());
	assert.deepEqual(await page.takePosted(), []);
	await readOn(page, 1);
	await page.tab.locator("[data-decision=allowGroup]:enabled").press("Enter");
	assert.deepEqual(
		(await page.takePosted()).map((message) => message.type === "answerApproval" && message.approvalId),
		["a1", "a2", "a3"],
	);
});

test("a deletion shows where and how much, spelled out, and what could be restored", async () => {
	const { page, ask } = await openTurn();
	const deletes = { targets: ["/repo/app/src", "/repo/app/a\u202Eb"], files: 412, isWhole: true };
	await ask({ subject: aCommand({ argv: ["rm", "-rf", "src"], deletes }) });
	const text = await cards(page).innerText();
	assert.match(text, /Deletes up to 412 files:\n+\/repo\/app\/src\n+\/repo\/app\/a\S*202e\S*b/i);
	assert.match(text, /up to 1 MB.*can be restored/);
});

test("the end of the turn removes the approval", async () => {
	const { page, thread, ask } = await openTurn();
	await ask({});
	await page.publish(thread.next({ type: "turnCompleted", status: "interrupted" }));
	assert.equal(await cards(page).count(), 0);
	assert.equal(
		await page.tab.locator("[data-kind=approval]").innerText(),
		"Not answered before the turn ended: npm publish --dry-run",
	);
});
