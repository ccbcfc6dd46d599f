import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { EditorChat } from "../support/editor-chat.ts";
import { noteTexts } from "../support/editor-noted.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { applyFixes, askSecondServer, PROJECT_FILES, readSymbols, renameSymbol } from "./language-tools.ts";
import { pursueGoal } from "./pursue-goal.ts";

// The editor's own git, JSON and TypeScript find the changes, the problems and the symbols.
const session = createEditorSession({
	builtIn: [
		...["git", "git-base", "json-language-features"],
		...["css", "css-language-features", "typescript-language-features", "node_modules"],
	],
});

const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"git.enabled": true,
	"files.autoSave": "off",
	"vitrine.permissions.mode": "ask",
	// Then what it shows can be read.
	"terminal.integrated.gpuAcceleration": "off",
	"vitrine.notifications.done": "always",
	"vitrine.notifications.waiting": "always",
};
const LOOK_MS = 3_000;
const NOBODY = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
const FILES = {
	"retry.ts": "export const first = 1;\nexport const second = 2;\nexport const third = 3;\n",
	"src/deep/entry-point.ts": "export {};\n",
	"data.json": '{ "a": 1,, }\n',
	".env": "TOKEN=hidden\n",
	...PROJECT_FILES,
};
const ANSWER = 'Look at `retry.ts:2`.\n\n```ts title="made.ts"\nexport const made = 3;\n```\n';

const inFolder = session.share(async (desk) => {
	const folder = desk.editor.folder(FILES);
	const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...NOBODY, ...args]);
	git("init", "--quiet");
	git("add", ".");
	git("commit", "--quiet", "--message=all");
	writeFileSync(join(folder, "retry.ts"), FILES["retry.ts"].replace("third = 3", "third = 4"));
	writeFileSync(join(folder, ".env"), "TOKEN=changed\n");
	await desk.context.grantPermissions(["clipboard-read", "clipboard-write"]);
	const opened = await openThread(desk, { folder }, SETTINGS);
	return {
		...opened,
		folder,
		page: opened.window.page,
		chipIn: (chat: EditorChat) => (kind: string) => chat.frame.locator(`.context-chip[data-kind="${kind}"]`),
		lastRequest: () => JSON.stringify(opened.model.requests.at(-1)?.body),
	};
});

test(
	"after a list of the chat the focus is in the chat again, or in the file that the user clicked into instead",
	inFolder(async ({ window, page, chat, chipIn }) => {
		const text = window.textOf("retry.ts");
		const ask = async (): Promise<void> => {
			await chat.composer.focus();
			await chat.waitForFocus();
			await page.keyboard.press("Control+/");
			await window.quickInput.waitFor();
		};
		await window.openFile("retry.ts");
		await ask();
		await page.keyboard.press("Escape");
		await chat.waitForFocus();
		await ask();
		// Below its last line, as the list may lie on the others.
		await text.click({ position: { x: 200, y: 400 }, modifiers: ["Shift"] });
		await window.quickInput.waitFor({ state: "hidden" });
		// The extension tells of the selection after it has given the focus to the chat, if it does.
		await chipIn(chat)("selection").getByText("retry.ts:1-3").waitFor();
		assert.equal(await chat.isFocused(), false);
		await text.and(page.locator(".focused")).waitFor();
	}),
);

test(
	"the model gets the selection on the chip, a file mentioned by keyboard, a problem to fix and changes to review",
	inFolder(async ({ window, page, chat, chipIn, model, lastRequest }) => {
		const chip = chipIn(chat);
		await window.openFile("retry.ts");
		await window.press("Shift+ArrowDown", "Shift+ArrowDown");
		await window.cursor("Ln 3, Col 1").waitFor();
		await chip("selection").getByText("retry.ts:1-2").waitFor();
		await chat.ask("What is this?");
		await chat.waitForEnd();
		const told = lastRequest();
		assert.match(told, /Selected, [^"]*retry\.ts lines 1 to 2:\\nexport const first = 1;\\nexport const second = 2;/);
		assert.match(told, /Active file: [^"]*retry\.ts/);
		assert.doesNotMatch(told, /third/);
		await window.screenshot("context chips");

		// Sent again with other words, it keeps its attachments.
		const prompt = chat.rows("userMessage").last();
		await prompt.hover();
		await prompt.getByRole("button", { name: "Edit and resend" }).click();
		await chat.frame.getByRole("textbox", { name: "Edit prompt" }).fill("What are these?");
		await page.keyboard.press("Enter");
		await until("the edited prompt is sent", () => lastRequest().includes("What are these?"));
		assert.match(lastRequest(), /Selected, [^"]*retry\.ts lines 1 to 2:\\nexport const first = 1;/);
		assert.doesNotMatch(lastRequest(), /What is this\?/);
		await chat.waitForEnd();

		// A file that no walk had looked at before.
		await chat.composer.focus();
		await page.keyboard.type("Compare with @entpt");
		await chat.frame.locator('#mention-list [role="option"]').filter({ hasText: "entry-point.ts" }).waitFor();
		await window.screenshot("mention list");
		await page.keyboard.press("Enter");
		const written = async () => (await chat.composer.inputValue()) === "Compare with @src/deep/entry-point.ts ";
		await until("the file stands in the prompt", written);
		await chip("file").getByText("entry-point.ts").waitFor();
		await chip("selection").getByRole("button").click();
		await chat.composer.focus();
		await page.keyboard.press("Enter");
		await until("the mention is sent", () => lastRequest().includes("Mentioned by the user"));
		assert.match(lastRequest(), /Mentioned by the user:\\n- [^"]*src\/deep\/entry-point\.ts/);
		await chat.waitForEnd();

		await window.openFile("data.json");
		await chip("problems").waitFor();
		await window.command("Vitrine: Fix Problem");
		await until("the problem is sent", () => lastRequest().includes("Fix the attached problem"));
		assert.match(lastRequest(), /Problems:\\n- [^"]*data\.json:1: /);
		await chat.waitForEnd();
		await window.focusText("data.json");
		await window.press(...Array.from({ length: 9 }, () => "ArrowRight"));
		await window.cursor("Ln 1, Col 10").waitFor();
		const before = model.requests.length;
		const fix = page.locator(".action-widget").getByText("Fix with Vitrine");
		await until("the quick fix is offered", async () => {
			// The editor drops what was asked for by key when it looks for fixes itself, soon after the cursor has moved.
			await window.press("Control+.");
			return fix.waitFor({ timeout: LOOK_MS }).then(
				() => true,
				() => false,
			);
		});
		await fix.click();
		await until("the quick fix is sent", () => model.requests.length > before);
		assert.match(lastRequest(), /Fix the attached problem/);
		await chat.waitForEnd();

		await window.command("Vitrine: Review Changes…");
		await window.quickPick("Uncommitted Changes").click();
		await until("the changes are sent", () => lastRequest().includes("Review the attached uncommitted changes"));
		assert.match(lastRequest(), /uncommitted changes, files: 2[\s\S]*\+export const third = 4;/);
		await chat.waitForEnd();
		assert.doesNotMatch(lastRequest(), /TOKEN=/, "contents of a file that stores secrets");
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"a review changes nothing and lists its findings as problems, and a side question leaves no trace",
	inFolder(async ({ window, page, chat, model, play, lastRequest }) => {
		const finding = { severity: "error", path: "retry.ts", line: 3, title: "Third is wrong", reason: "It was three." };
		play(
			calls("report_findings", { findings: [finding] }),
			says("One finding."),
			says("Because the name says so."),
			says("It is right now."),
			says("Nothing to say."),
		);
		const findings = chat.frame.locator(".findings");
		const problem = page.locator(".markers-panel-container").getByText("Third is wrong");
		await chat.composer.fill("/review");
		await chat.composer.press("Enter");
		await findings.getByText("Third is wrong").waitFor();
		await chat.waitForEnd();
		assert.match(lastRequest(), /Review mode is on for this turn/);
		assert.doesNotMatch(lastRequest(), /"name":"apply_patch"/);
		await window.command("Problems: Focus on Problems View");
		await problem.waitFor();
		await window.screenshot("review findings");

		const asked = model.requests.length;
		await chat.composer.fill("/btw Why three?");
		await chat.composer.press("Enter");
		await chat.frame.locator(".aside").getByText("Because the name says so.").waitFor();
		await window.screenshot("side question");
		assert.equal(model.requests.length, asked + 1);
		assert.match(lastRequest(), /Why three\?/);

		await findings.locator('[data-action="fixFinding"]').click();
		await until("the finding is sent to be fixed", () =>
			lastRequest().includes("Fix this finding of the review: retry.ts:3"),
		);
		await chat.waitForEnd();
		assert.match(lastRequest(), /"name":"apply_patch"/);
		assert.doesNotMatch(lastRequest(), /Why three\?|Because the name says so/);

		await findings.locator('[data-action="dismissFinding"]').click();
		await findings.getByText("Review: no findings").waitFor();
		await problem.waitFor({ state: "detached" });

		const isTold = await notifications(page);
		await chat.composer.fill("/review commit nowhere");
		await chat.composer.press("Enter");
		await isTold(/There is no commit “nowhere” in this repository\./);
		// The first commit of a repository has nothing to be compared with.
		await chat.composer.fill("/review commit HEAD");
		await chat.composer.press("Enter");
		await until("the first commit is reviewed", () => lastRequest().includes("Review the attached commit."));
		await chat.waitForEnd();
		assert.match(lastRequest(), /\+export const third = 3;/);
		assert.doesNotMatch(lastRequest(), /TOKEN=hidden/);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"a plan is a document: the user edits it and comments on a line, Go sends it, and its steps are ticked off",
	inFolder(async ({ window, page, chat, model, play, lastRequest }) => {
		const steps = (first: string) => [
			{ text: "Read retry.ts", status: first },
			{ text: "Change the third constant", status: "running" },
		];
		play(
			says("# Plan\n\n1. Read `retry.ts`\n2. Change the third constant\n"),
			calls("update_plan", { steps: steps("done") }),
			says("On it."),
			calls("update_plan", { steps: steps("running") }),
			says("Again."),
		);
		const before = model.requests.length;
		const plan = window.textOf("Plan.md");
		const bar = chat.frame.locator('[data-bar="plan"]');
		await window.command("Vitrine: Toggle Plan Mode");
		await chat.frame.locator('[data-chip="plan"][aria-pressed="true"]').waitFor();
		await chat.ask("Plan it.");
		await chat.waitForEnd();
		await plan.getByText("1. [ ] Read `retry.ts`").waitFor();
		await bar.getByText("Plan: 2 steps").waitFor();

		await window.focusText("Plan.md");
		await window.press("Control+End");
		await page.keyboard.type("3. Run the tests");
		await window.press("Control+Home", "ArrowDown", "ArrowDown");
		await window.cursor("Ln 3, Col 1").waitFor();
		await window.command("Comments: Add Comment on Current Selection");
		const widget = page.locator(".review-widget");
		await widget.locator(".monaco-editor").first().waitFor();
		await page.keyboard.type("Only the end of it");
		await widget.getByRole("button", { name: "Add Comment" }).click();
		await bar.getByText("1 comment").waitFor();
		await window.screenshot("plan document");

		await bar.getByRole("button", { name: "Go", exact: true }).click();
		await until("the plan is carried out", () => model.requests.length === before + 3);
		await chat.waitForEnd();
		assert.match(lastRequest(), /3\. Run the tests/);
		assert.match(lastRequest(), /Line 3, “1\. \[ \] Read `retry\.ts`”: Only the end of it/);
		assert.match(lastRequest(), /Plan mode is off/);
		await plan.getByText("1. [x] Read `retry.ts`").waitFor();
		await plan.getByText("2. [-] Change the third constant").waitFor();
		await plan.getByText("3. Run the tests").waitFor();
		assert.equal(await bar.count(), 0);
		await window.screenshot("plan in progress");

		const thread = await chat.threadId();
		await window.focusText("Plan.md");
		await page
			.locator(".part.editor .editor-actions")
			.getByRole("button", { name: "Go with Plan in New Thread" })
			.click();
		await until("a new thread has begun", async () => ![thread, ""].includes(await chat.threadId()));
		await until("the plan is carried out there", () => model.requests.length === before + 5);
		await chat.waitForEnd();
		assert.doesNotMatch(lastRequest(), /Plan it\.|On it\./);
		assert.match(lastRequest(), /3\. Run the tests/);
		await page.locator(".part.editor .tab.active").filter({ hasText: "Plan.md" }).waitFor();
		await plan.getByText("1. [-] Read `retry.ts`").waitFor();
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"an answer's links open files, its code can be inserted and applied, and terminal output reaches the model",
	inFolder(async ({ window, page, chat, chipIn, folder, model, play, lastRequest }) => {
		const chip = chipIn(chat);
		play(says(ANSWER), says("I have read it."), calls("run_command", { command: "true" }), says("Ran."));
		const before = model.requests.length;

		const isTold = await notifications(page);
		await chat.ask("Where is it?");
		await chat.waitForEnd();
		await isTold(/Vitrine has answered\./);
		await chat.rows("agentMessage").locator("[data-file]").click();
		await window.statusItem("Ln 2, Col 1").waitFor();
		await chat.rows("agentMessage").locator('[data-action="insert"]').click();
		await window.textOf("retry.ts").getByText("export const made = 3;export const second = 2;").waitFor();
		await chat.rows("agentMessage").locator('[data-action="apply"]').click();
		await page.locator(".part.editor .tab.active.dirty").filter({ hasText: "made.ts" }).waitFor();
		assert.equal(existsSync(join(folder, "made.ts")), false, "nothing is written before the user saves");
		await page.keyboard.press("Control+S");
		const made = () => existsSync(join(folder, "made.ts")) && readFileSync(join(folder, "made.ts"), "utf8");
		await until("the file is made", () => made() === "export const made = 3;\n");
		await window.screenshot("code of an answer");

		// A key is not attached by being selected.
		await window.openFile(".env");
		await window.press("Control+A");
		await window.cursor(/\d selected/).waitFor();
		await chip("activeFile").getByText(".env").waitFor();
		assert.equal(await chip("selection").count(), 0);

		await window.command("Terminal: Create New Terminal");
		const terminal = page.locator(".terminal.xterm.focus");
		// A shell that is still starting loses keys.
		await terminal
			.locator(".xterm-rows")
			.getByText(/[#$]\s*$/)
			.waitFor();
		await page.keyboard.type("echo from-the-$((6*7)); touch done.txt\n");
		await until("the terminal has run it", () => existsSync(join(folder, "done.txt")));
		await terminal.getByText("from-the-42").waitFor();
		await page.evaluate("navigator.clipboard.writeText('mine')");
		await window.command("Vitrine: Add Terminal Output to Chat");
		await chip("terminal").waitFor();
		assert.equal(await page.evaluate("navigator.clipboard.readText()"), "mine", "the clipboard is as it was");

		// The user typed it, so it needs no approval, although the mode asks before every command.
		await chat.composer.fill("!echo typed > typed.txt; echo shown-$((6*7))");
		await chat.frame.getByText("Runs in the sandbox;").waitFor();
		await chat.composer.press("Enter");
		const card = chat.rows("toolCall").filter({ hasText: "run by you" });
		await card.getByText(/exit 0/).waitFor();
		await chat.waitForEnd();
		assert.equal(readFileSync(join(folder, "typed.txt"), "utf8"), "typed\n");
		await isTold(/Your command has ended\./);
		assert.equal(model.requests.length, before + 1, "no model was asked");
		await card.locator(".fold-line").click();
		await card.locator('[data-action="showInTerminal"]').click();
		await page.locator(".terminal-tabs-entry").getByText("Run echo typed").waitFor();
		await window.screenshot("a command of the user's own");

		await chat.ask("What do you see?");
		await chat.waitForEnd();
		assert.match(lastRequest(), /<user_shell_command exit=\\"0\\">\\n\$ echo typed[^<]*shown-42/);
		assert.match(lastRequest(), /output of terminal[\s\S]*from-the-42/);
		assert.doesNotMatch(lastRequest(), /TOKEN=hidden/);

		await chat.ask("Run it.");
		await isTold(/needs approval/);
		await window.screenshot("told that a question waits");
		await (await chat.question()).decide("allow");
		await chat.waitForEnd();
		await chat.rows("agentMessage").filter({ hasText: "Ran." }).waitFor();
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"the agent finds the usages of a symbol, renames it, reads the problem this causes, and fixes it",
	inFolder(renameSymbol),
);

test("the agent has the editor add a missing import and remove an unused one", inFolder(applyFixes));

test("the agent reads symbols and definitions, and runs a workspace task in the sandbox", inFolder(readSymbols));

test(
	"another language server answers as TypeScript's does: symbols, usages, problems, rename",
	inFolder(askSecondServer),
);

test(
	"a goal can be set, paused and resumed in the chat, and survives a restart of the agent host",
	inFolder(pursueGoal),
);

/** From now on; a notification goes after a while. */
async function notifications(page: Page): Promise<(text: RegExp) => Promise<void>> {
	const said = await noteTexts(page.mainFrame(), ".notification-toast");
	return async (text) => {
		await until(`the user is told ${text}`, async () => (await said()).some((one) => text.test(one)));
	};
}
