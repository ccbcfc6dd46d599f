import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditorChat } from "../support/editor-chat.ts";
import { noteTexts } from "../support/editor-noted.ts";
import { endProcess, findAgentHost } from "../support/editor-processes.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { changeSettings } from "../support/editor-settings.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { FakeModel } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, holds, says, together } from "../support/fake-model-steps.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession();

const BEFORE = "This is the first half of the answer. ";
const AFTER = "And this is the second half.";
const PROMPT = "Tell me everything";
const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"files.autoSave": "off",
	"vitrine.permissions.mode": "ask",
	"vitrine.model.contextWindow": 200_000,
};

/** Short enough that the prompt above it stays in view. */
const STORY = `A long story about pears. ${"And then some more of it. ".repeat(8)}`;
const LONG_STORY = `${STORY}${"And more. ".repeat(200)}`;
const SUMMARY = summaryOf("first", "second");

function summaryOf(...prompts: readonly string[]): string {
	return JSON.stringify({
		intent_user_message: [
			"<VERBATIM_REQUEST_START>",
			"first",
			"<VERBATIM_REQUEST_END>",
			"<RECENT_USER_CONTEXT_START>",
			prompts.join("\n\n"),
			"<RECENT_USER_CONTEXT_END>",
		].join("\n"),
		summary: "A story was told.\nRESUME_AT: tell the next one",
	});
}

const inFolder = session.share((desk) => openThread(desk, { folder: copySample(desk.editor.root) }, SETTINGS));

test(
	"reloading the page in mid-stream loses nothing and shows nothing twice",
	inFolder(async ({ window, chat, play }) => {
		const answer = holds(BEFORE, AFTER);
		play(answer);
		await askForHalf(chat);
		await chat.composer.fill("a draft");
		await window.command("Developer: Reload Webviews");
		await until("the old page is gone", () => chat.frame.isDetached());

		const reloaded = await window.chat();
		await reloaded.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
		await reloaded.running.waitFor();
		assert.equal(await reloaded.composer.inputValue(), "a draft");
		answer.release();
		await reloaded.waitForEnd();
		assert.equal((await reloaded.answer()).trim(), `${BEFORE}${AFTER}`);
		const keys = await reloaded.rowKeys();
		assert.deepEqual(keys, [...new Set(keys)]);
		assert.equal(await reloaded.rows("turnEnd").count(), 0);
	}),
);

test(
	"an agent host killed in mid-stream restarts, and the turn can be retried",
	inFolder(async ({ desk, chat, play }) => {
		play(holds(BEFORE, AFTER), says("Answered at last."));
		await askForHalf(chat);
		const killed = await until("the agent host runs", () => findAgentHost(desk.editor.pid));
		endProcess(killed);
		await chat.waitForEnd();
		await retryInterrupted(chat);
		assert.notEqual(findAgentHost(desk.editor.pid), killed);
	}),
);

test(
	"a question asked while the chat is hidden is announced, and can be answered by keyboard",
	inFolder(async ({ window, chat, model, play }) => {
		const first = holds("Let me ask. ", "");
		const options = [{ label: "SQLite", recommended: true }, { label: "Postgres" }];
		play(together(first, calls("ask_user", { question: "Where should it go?", options })), says("As you say."));
		const noted = await noteTexts(window.page.mainFrame(), ".notification-toast");
		await chat.ask(PROMPT);
		await first.reached;
		await window.command("Vitrine: Toggle Chat");
		await window.page.locator(".part.auxiliarybar").waitFor({ state: "hidden" });
		// The extension is told of it, too, before it is told to carry out a later command.
		await window.command("Vitrine: Show Log");
		await window.page.locator(".part.panel select").first().waitFor();
		first.release();
		await until("a notification says so", async () =>
			(await noted()).some((text) => text.includes("Vitrine has a question for you")),
		);
		const toast = window.page.locator(".notification-toast", { hasText: "Vitrine has a question for you" });
		await toast.getByRole("button", { name: "Show" }).click();
		const shown = await window.chat();
		const card = shown.frame.locator("[data-question]");
		await card.getByText("Where should it go?").waitFor();
		await window.screenshot("question");
		await until("the answer counts", async () => {
			const option = card.locator("input[data-option=SQLite]");
			await option.press("ArrowDown", { timeout: 3_000 }).catch(() => undefined);
			await card
				.locator("input:checked")
				.press("Enter", { timeout: 3_000 })
				.catch(() => undefined);
			return (await card.count()) === 0;
		});
		await shown.waitForEnd();
		await shown.rows("question").getByText("You answered: Postgres").waitFor();
		assert.match(model.requests.at(-1)?.text ?? "", /\\"chosen\\":\[\\"Postgres\\"\]/);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"the palette previews, edits, applies and undoes a compaction",
	inFolder(async ({ window, chat, model, play }) => {
		play(...[LONG_STORY, LONG_STORY, SUMMARY, SUMMARY, "Short.", "Short."].map((text) => says(text)));
		const sentFor = (prompt: string) => askAndRead(chat, model, prompt);
		await sentFor("first");
		await sentFor("second");
		const card = chat.frame.locator('[data-kind="contextCompaction"]').last();

		// Before the one with a preview: the palette offers first what was run last.
		await window.command("Vitrine: Compact Conversation");
		await card.getByText("Compacted 2 turns").waitFor();
		await window.screenshot("compaction at once");
		await window.command("Vitrine: Undo Last Compaction");
		await card.getByText("Compaction undone").waitFor();

		await window.command("Vitrine: Compact Conversation with Preview…");
		await window.answer("Compact Conversation with Preview", "");
		const page = window.page.locator(".part.editor .monaco-editor", { hasText: "Compaction preview" });
		await page.waitFor();
		await window.screenshot("compaction preview");
		await page.getByText("RESUME_AT").click();
		await page.and(window.page.locator(".focused")).waitFor();
		await window.press("Home", "Enter", "ArrowUp");
		await window.page.keyboard.type("It was about pears and plums.");
		await page.getByText("It was about pears and plums.").waitFor();
		await window.command("Vitrine: Apply Compaction");
		await page.waitFor({ state: "detached" });
		await card.getByText("Compacted 2 turns").waitFor();
		await window.screenshot("compaction applied");

		const compacted = await sentFor("third");
		assert.match(compacted, /pears and plums/);
		assert.doesNotMatch(compacted, /A long story about pears/);
		await window.command("Vitrine: Undo Last Compaction");
		await card.getByText("Compaction undone").waitFor();
		await window.screenshot("compaction undone");
		assert.match(await sentFor("fourth"), /A long story about pears/);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"the buttons of a prompt pin it and compact the thread up to it",
	inFolder(async ({ window, chat, model, play }) => {
		play(...[STORY, STORY, summaryOf("first"), "Short."].map((text) => says(text)));
		for (const prompt of ["first", "second"]) await askAndRead(chat, model, prompt);
		const prompt = chat.rows("userMessage").filter({ hasText: "first" });
		const button = (name: string) => prompt.getByRole("button", { name });
		await prompt.hover();
		await button("Pin prompt").click();
		await button("Pin prompt").and(chat.frame.locator('[aria-pressed="true"]')).waitFor();
		await button("Compact up to here").click();
		await chat.frame
			.locator('[data-kind="contextCompaction"]')
			.last()
			.getByText(/1 turn/)
			.waitFor();
		await chat.waitForEnd();

		const sent = await askAndRead(chat, model, "third");
		assert.match(sent, /<VERBATIM_REQUEST_START>\\nfirst\\n<VERBATIM_REQUEST_END>/);
		assert.equal(sent.split("A long story about pears").length - 1, 1, "only the second story is still there");
		// The page is drawn from the records again.
		await window.command("Developer: Reload Webviews");
		await until("the old page is gone", () => chat.frame.isDetached());
		const again = await window.chat();
		await again.transcript.evaluate((list) => list.scrollTo(0, 0));
		await again
			.rows("userMessage")
			.filter({ hasText: "first" })
			.locator('[aria-pressed="true"]')
			.waitFor({ state: "attached" });
		assert.deepEqual(window.pageErrors, []);
	}),
);

/** A program that is a server of tools, or fails at once. */
const serve = (script: string) => ({ command: process.execPath, args: ["--input-type=module", "-e", script] });

test(
	"configured MCP servers are listed with their tools, and their rows start them and show their output",
	inFolder(async ({ desk, window }) => {
		await window.page.setViewportSize({ width: 1_280, height: 1_400 });
		await changeSettings(desk, window, {
			"vitrine.servers": { fake: serve(MCP_SERVER), broken: serve("throw new Error('no such' + ' luck')") },
		});
		await window.expandView("MCP Servers");
		const fake = window.treeRow("MCP Servers", "fake");
		await fake.filter({ hasText: "Not running" }).waitFor();
		await window.pressInRow(fake, "Start MCP Server");
		await fake.filter({ hasText: "Running, 5 tools" }).waitFor();
		await window.expandRow(fake);
		await window.treeRow("MCP Servers", "echo").filter({ hasText: "Says it again." }).waitFor();
		const broken = window.treeRow("MCP Servers", "broken");
		await window.pressInRow(broken, "Start MCP Server");
		await broken.filter({ hasText: "Failed" }).waitFor();
		await window.screenshot("servers");
		await window.pressInRow(broken, "Show MCP Server Output");
		await window.page.locator(".view-lines").getByText("no such luck").first().waitFor();
		await window.pressInRow(fake, "Stop MCP Server");
		await fake.filter({ hasText: "Not running" }).waitFor();
		await changeSettings(desk, window, { "vitrine.servers": {} });
		await fake.waitFor({ state: "detached" });
	}),
);

test(
	"reloading the window in mid-stream shows the turn as interrupted, with Retry, and restores both lists",
	inFolder(async ({ desk, window, chat, play }) => {
		desk.leave();
		play(calls("run_command", { command: ["true"] }), holds(BEFORE, AFTER), says("Answered at last."));
		// Room for both lists below a chat that still shows its first row.
		await window.page.setViewportSize({ width: 1_280, height: 1_400 });
		await chat.ask(PROMPT);
		await (await chat.question()).decide("allowThread");
		await chat.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
		await window.expandView("Threads");
		const header = window.page.locator(".pane-header", { hasText: "Threads" });
		await window.choose("Group Threads by Folder", header.getByRole("button", { name: "More Actions" }));
		const isGrouped = async () => {
			const levels = ["corner-shop", PROMPT].map((name) =>
				window.treeRow("Threads", name).first().getAttribute("aria-level"),
			);
			return (await Promise.all(levels)).join() === "1,2";
		};
		await until("the threads are grouped by folder", isGrouped);

		await window.expandView("Activity");
		const decided = window.treeRow("Activity", "Decisions in this thread");
		await window.expandRow(decided);
		const granted = window.treeRow("Activity", "Run true");
		await window.pressInRow(granted, "Revoke Permission");
		await granted.filter({ hasText: "allowed in this thread by you (no longer active)" }).waitFor();

		await window.reload();
		await retryInterrupted(await window.chat());
		await until("the threads still are grouped", isGrouped);
		await decided.filter({ hasText: "1" }).waitFor();
	}),
);

/** Sends a prompt whose answer stops half way until it is released. */
async function askForHalf(chat: EditorChat): Promise<void> {
	await chat.ask(PROMPT);
	await chat.rows("agentMessage").filter({ hasText: "first half" }).waitFor();
}

/** The prompt and the half answer are still there, and the retry brings a whole one. */
async function retryInterrupted(chat: EditorChat): Promise<void> {
	await chat.rows("turnEnd").waitFor();
	assert.match(await chat.rows("turnEnd").innerText(), /interrupted/i);
	assert.equal(await chat.timesShown(PROMPT), 1);
	await chat.retry.click();
	await chat.rows("agentMessage").filter({ hasText: "Answered at last." }).waitFor();
	await chat.waitForEnd();
	const keys = await chat.rowKeys();
	assert.deepEqual(keys, [...new Set(keys)]);
}

/** Asks, waits for the end of the turn, and gives what the model was sent first. */
async function askAndRead(chat: EditorChat, model: FakeModel, prompt: string): Promise<string> {
	const before = model.requests.length;
	await chat.ask(prompt);
	const request: RecordedRequest = await model.requestNumber(before + 1);
	await chat.waitForEnd();
	return JSON.stringify(request.body);
}
