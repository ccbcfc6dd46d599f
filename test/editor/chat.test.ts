import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import type { Editor } from "../support/editor.ts";
import { noteTexts } from "../support/editor-noted.ts";
import { endProcess, findAgentHost } from "../support/editor-processes.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { startOver } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { copySample } from "../support/sample.ts";
import { showHostileThread } from "./hostile-thread.ts";

const session = createEditorSession({ settings: { "security.workspace.trust.enabled": false } });

const inFolder = session.share(async (desk) => {
	const folder = copySample(desk.editor.root);
	const window = await desk.open({ folder });
	await window.openChat();
	return { folder, window };
});

test(
	"the first prompt's answer streams into the chat, and a running turn can be stopped",
	inFolder.untouched(async ({ window, chat }) => {
		await chat.banner("demo").waitFor();
		const steps = await noteTexts(chat.frame, '[data-row][data-kind="toolCall"]');
		await chat.ask("What is in this folder?");
		await chat.waitForAnswer(20);
		await chat.waitForEnd();
		assert.ok((await steps()).length > 0, "no step was shown");
		assert.deepEqual(await chat.prompts(), ["What is in this folder?"]);
		assert.equal(await chat.timesShown("What is in this folder?"), 1);
		assert.equal(await chat.rows("turnEnd").count(), 0);
		assert.equal(await chat.composer.inputValue(), "");

		await chat.ask("Now a very long answer, please");
		await chat.running.waitFor();
		await chat.waitForAnswer(100);
		const early = await chat.answer();
		await until("the answer goes on", async () => (await chat.answer()) !== early);
		assert.equal(await chat.running.count(), 1);
		await chat.stop.click();
		await chat.waitForEnd();
		await chat.rows("turnEnd").waitFor();
		assert.match(await chat.rows("turnEnd").innerText(), /stopped|interrupted/i);
		assert.equal(await chat.composer.isEnabled(), true);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"the tree lists, opens, renames, pins and archives threads, and search finds their words",
	inFolder(async ({ window, chat }) => {
		await chat.ask("Tell me about apples");
		await chat.waitForEnd();
		await startOver(window);
		await chat.ask("Tell me about candles");
		await chat.waitForEnd();

		await window.expandView("Threads");
		await window.treeRow("Threads", "candles").waitFor();
		const selected = window.page.getByRole("tree", { name: "Threads" }).locator("[aria-selected=true]");
		await until("the thread that is shown is selected", async () =>
			/candles/.test((await selected.allInnerTexts()).join()),
		);
		await window.treeRow("Threads", "apples").click();
		await until(
			"the thread about apples is shown",
			async () => (await chat.prompts()).join() === "Tell me about apples",
		);
		await chat.waitForRest();
		// A thread opens at its end, and rows out of view are not drawn.
		await chat.transcript.evaluate((scroller) => scroller.scrollTo(0, 0));
		await chat.rows("userMessage").filter({ hasText: "apples" }).waitFor();
		assert.equal(await chat.rows("userMessage").count(), 1);
		assert.match(await chat.transcript.innerText(), /apples/);
		assert.doesNotMatch(await chat.transcript.innerText(), /candles/);

		const rows = window.page.getByRole("tree", { name: "Threads" }).getByRole("treeitem");
		const act = (row: string, name: string) => window.choose(name, window.treeRow("Threads", row), { button: "right" });
		await act("apples", "Rename Thread…");
		await window.answer("Rename Thread", "About pears");
		await window.treeRow("Threads", "About pears").waitFor();
		await window.pressInRow(window.treeRow("Threads", "pears"), "Pin Thread");
		await until("the pinned one comes first", async () => /pears/.test(await rows.first().innerText()));
		// Wait until the list is drawn: a menu closes when its row is drawn again.
		await until("the thread that is shown is selected again", async () =>
			/pears/.test((await selected.allInnerTexts()).join()),
		);
		await act("candles", "Archive Thread");
		await until("the archived one is gone", async () => (await window.treeRow("Threads", "candles").count()) === 0);
		await window.screenshot("threads");
		await window.command("Vitrine: Search Threads…");
		await window.quickInput.fill("apples");
		await window.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "About pears" }).click();
		await window.quickInput.waitFor({ state: "hidden" });
	}),
);

test(
	"F2 in the list of threads renames the thread that the arrow keys are on, not the open one",
	inFolder(async ({ window, chat }) => {
		await chat.ask("Tell me about medlars");
		await chat.waitForEnd();
		await startOver(window);
		await chat.ask("Tell me about quinces");
		await chat.waitForEnd();
		const quinces = await chat.threadId();
		await window.expandView("Threads");
		await window.treeRow("Threads", "medlars").waitFor();
		const tree = window.page.getByRole("tree", { name: "Threads" });
		const selected = tree.locator("[aria-selected=true]");
		await until("the open thread is selected", async () => /quinces/.test((await selected.allInnerTexts()).join()));
		await window.command("Vitrine: Focus on Threads View");
		await until("the list has the focus", () => tree.evaluate((list) => list.contains(document.activeElement)));
		const focused = tree.locator(".focused");
		await until("the keys are on the other thread", async () => {
			if (/medlars/.test((await focused.allInnerTexts()).join())) return true;
			await window.page.keyboard.press("ArrowDown");
			return false;
		});
		await window.page.keyboard.press("F2");
		await window.answer("Rename Thread", "Orchards");
		await window.treeRow("Threads", "Orchards").waitFor();
		assert.equal(await window.treeRow("Threads", "medlars").count(), 0);
		assert.equal(await window.treeRow("Threads", "quinces").count(), 1);
		assert.equal(await chat.threadId(), quinces, "renaming opens nothing");
	}),
);

test(
	"two threads run at once, one in the chat and one in a tab; each shows only its own turn and stops alone",
	inFolder(async ({ window, chat }) => {
		await chat.ask("Tell me about plums");
		await chat.waitForEnd();
		const plums = await chat.threadId();
		await startOver(window);
		await window.expandView("Threads");
		await window.choose("Open Thread in Editor", window.treeRow("Threads", "plums"), { button: "right" });
		const inTab = await window.chatOf(plums);
		await chat.ask("Now a very long answer about figs, please");
		await inTab.ask("Now a very long answer about limes, please");
		await Promise.all([chat.running.waitFor(), inTab.running.waitFor()]);
		await inTab.waitForAnswer(100);
		await inTab.stop.click();
		await inTab.waitForEnd();
		assert.equal(await chat.running.count(), 1, "the other one goes on");
		await chat.stop.click();
		await chat.waitForEnd();
		assert.deepEqual(await inTab.prompts(), ["Tell me about plums", "Now a very long answer about limes, please"]);
		assert.deepEqual(await chat.prompts(), ["Now a very long answer about figs, please"]);
		assert.doesNotMatch(await chat.transcript.innerText(), /limes|plums/);
		assert.doesNotMatch(await inTab.transcript.innerText(), /figs/);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"an imported hostile thread is shown as text: it requests nothing, navigates nowhere and draws nothing",
	inFolder(showHostileThread),
);

test(
	"each palette command does what its name says, and dropped workspace files become chips",
	inFolder(async ({ desk, folder, window, chat }) => {
		await window.page.locator(".part.editor").click();
		await until("the composer has lost the focus", async () => !(await chat.isFocused()));
		await window.command("Vitrine: Open Chat");
		await chat.waitForFocus();

		// What a drag from the explorer holds: a window on another machine names that machine.
		symlinkSync("/etc/hosts", `${folder}/link`);
		const outside = ["/etc/hosts", `${folder}/link`];
		const paths = [`${folder}/src/main.js`, ...outside].map((path) => `file://${path}`);
		const dropped = [...paths, `vscode-remote://elsewhere${folder}/src`];
		await chat.composer.evaluate((input, list) => {
			const dataTransfer = new DataTransfer();
			dataTransfer.setData("application/vnd.code.uri-list", list);
			input.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
		}, dropped.join("\r\n"));
		await chat
			.banner("problem")
			.getByText(`Not attached (outside this workspace): ${outside.join(", ")}`)
			.waitFor();
		const chips = chat.frame.locator('.context-chip[data-from="reader"]');
		assert.deepEqual(await chips.evaluateAll((all) => all.map(({ textContent }) => textContent)), ["main.js", "src"]);

		await chat.ask("A very long answer, please");
		await chat.waitForAnswer(50);
		await window.command("Vitrine: Stop");
		await chat.waitForEnd();
		await chat.rows("turnEnd").waitFor();

		const before = findAgentHost(desk.editor.pid);
		assert.ok(before, "no agent host runs although a turn did");
		await window.command("Vitrine: Restart Agent Host");
		await until("another agent host runs", () => {
			const now = findAgentHost(desk.editor.pid);
			return now !== undefined && now !== before;
		});

		await window.command("Vitrine: New Thread");
		await chat.welcome.waitFor();

		await window.command("Vitrine: Set Up Model…");
		await window.quickPick("Demo model").waitFor();
		await window.page.keyboard.press("Escape");
		await window.quickInput.waitFor({ state: "hidden" });

		await window.command("Vitrine: Show Log");
		const channel = window.page.locator(".part.panel select").first();
		await until("the output of Vitrine is shown", async () => (await channel.inputValue()) === "Vitrine");
	}),
);

test(
	"after a list or field that the chat has opened, answered or not, the next words are typed into the chat",
	inFolder(async ({ window, chat }) => {
		await window.openFile("package.json");
		const opened: readonly (readonly [slash: string, title: string])[] = [
			["/effort", "Change Reasoning Effort of This Thread"],
			["/permissions", "Change Permissions of This Thread"],
			["/model", "Change Model of This Thread"],
		];
		for (const [slash, title] of opened) {
			for (const key of ["Escape", "Enter"]) {
				await chat.composer.click();
				await window.page.keyboard.type(slash);
				await window.press("Enter");
				await window.page.locator(".quick-input-title").getByText(title).waitFor();
				await window.press(key);
				await window.quickInput.waitFor({ state: "hidden" });
				await chat.waitForFocus();
				await window.page.keyboard.type("next");
				assert.equal(await chat.composer.inputValue(), "next", `${slash}, ${key}`);
				await chat.composer.fill("");
			}
		}
		assert.equal(await window.page.locator(".tab.dirty").count(), 0);
	}),
);

test(
	"reports open as documents, and moving the chat between the side bar and an editor keeps the draft",
	inFolder(async ({ window, chat }) => {
		await window.command("Vitrine: Test Sandbox");
		await window.page.locator(".view-lines").getByText("checks passed in").waitFor();
		await chat.frame.getByText(/Sandbox verified/).waitFor();
		await window.command("Vitrine: Run Doctor");
		await window.page.locator(".view-lines").getByText("Healthy.").waitFor();

		await window.command("Vitrine: Lint Instructions");
		await window.page.locator(".view-lines").getByText("No problems found.").waitFor();

		await chat.composer.fill("Half a thought");
		await window.command("Vitrine: Open Chat in Editor");
		const elsewhere = await window.frameWith('a[href="command:vitrine.showChatInView"]');
		const inTab = await window.chat();
		assert.equal(await inTab.composer.inputValue(), "Half a thought");
		await inTab.ask("Hello from the tab");
		await inTab.waitForEnd();
		await inTab.composer.fill("The other half");
		await elsewhere.locator("a").click();
		await until("the tab is closed", () => inTab.frame.isDetached());
		const back = await window.chat();
		assert.deepEqual(await back.prompts(), ["Hello from the tab"]);
		// Its prompt may be out of view, and so not drawn.
		await back.rows("agentMessage").last().getByText("For real answers").waitFor();

		assert.equal(await back.composer.inputValue(), "The other half");
		await back.composer.fill("");

		await back.composer.press("ArrowUp");
		const chatView = window.page.locator(".part.auxiliarybar");
		await window.command("Vitrine: Toggle Chat");
		await chatView.waitFor({ state: "hidden" });
		await window.command("Vitrine: Toggle Chat");
		await chatView.waitFor();
		assert.equal(await back.frame.locator(".prompt-editor textarea").inputValue(), "Hello from the tab");
		await back.frame.getByRole("button", { name: "Cancel" }).click();
	}),
);

test(
	"commands create and open a new skill, and add an unsaved line with what to remember",
	inFolder(async ({ folder, window, chat }) => {
		await window.command("Vitrine: New Skill…");
		await window.answer("New Skill", "release-notes");
		await window.quickPick(`In ${basename(folder)}`).click();
		await window.page.locator(".view-lines").getByText("What this skill does").waitFor();
		assert.match(
			readFileSync(`${folder}/.agents/skills/release-notes/SKILL.md`, "utf8"),
			/^---\nname: release-notes\n/,
		);
		rmSync(`${folder}/.agents`, { recursive: true });

		const file = `${folder}/AGENTS.md`;
		writeFileSync(file, "# Rules\n");
		await chat.composer.fill("/remember Use tabs.");
		await chat.send.click();
		await window.quickPick(`In ${basename(folder)}`).click();
		await window.page.locator(".view-lines").getByText("- Use tabs.").first().waitFor();
		assert.equal(readFileSync(file, "utf8"), "# Rules\n");
		await window.command("File: Save");
		await until("the line is saved", () => readFileSync(file, "utf8") === "# Rules\n- Use tabs.\n");
		rmSync(file);
	}),
);

test(
	"a host that keeps crashing stays down; the views say so and can start it again",
	inFolder(async ({ desk, window, chat }) => {
		await chat.ask("Are you still there?");
		await chat.waitForEnd();
		const row = window.treeRow("Threads", "Are you still there?");
		await window.expandView("Threads");
		await row.waitFor();
		const welcome = window.page.locator(".welcome-view", { hasText: "The agent host has stopped." }).first();
		await until("the agent host stays down", async () => {
			const pid = findAgentHost(desk.editor.pid);
			if (pid !== undefined) endProcess(pid);
			return (await welcome.count()) > 0;
		});
		await welcome.getByRole("button", { name: "Restart Agent Host" }).click();
		await row.waitFor();
	}),
);

test(
	"a new installation opens the chat, names what is missing without a folder, and is German in a German editor",
	session.alone(async (desk) => {
		desk.defer(speakGerman(desk.editor));
		const window = await desk.open("none");
		// Nobody has opened the chat: after the installation it shows itself, once.
		const chat = await window.chat();
		await chat.frame.getByText("Woran wollen wir arbeiten?").waitFor();
		assert.equal(await chat.frame.evaluate(() => document.documentElement.lang), "de");
		await chat.banner("noFolder").waitFor();
		await chat.ask("Hello");
		await chat.waitForAnswer(5);
		await chat.waitForEnd();
		assert.equal(await chat.rows("turnEnd").count(), 0);
		await window.command("Vitrine: Neuer Thread");
		await chat.frame.getByText("Woran wollen wir arbeiten?").waitFor();
	}),
);

/**
 * As "Configure Display Language" does it, with a language pack that has no word: the editor itself stays English, but gives
 * every extension its own German. Holds for every window until it is taken back, by what this gives.
 */
function speakGerman({ root, userData }: Editor): () => Promise<void> {
	const choice = join(userData, "User", "argv.json");
	writeFileSync(choice, JSON.stringify({ locale: "de" }));
	const words = join(root, "no-words.i18n.json");
	writeFileSync(words, JSON.stringify({ version: "1.0.0", contents: {} }));
	const extensions = [{ extensionIdentifier: { id: "test.german" }, version: "1.0.0" }];
	const pack = { hash: "none", label: "Deutsch", extensions, translations: { vscode: words } };
	writeFileSync(join(userData, "languagepacks.json"), JSON.stringify({ de: pack }));
	return async () => rmSync(choice);
}
