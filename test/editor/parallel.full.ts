import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { EditorChat } from "../support/editor-chat.ts";
import { FOLLOW_SYSTEM, takeBothLooks } from "../support/editor-looks.ts";
import { endProcess, findAgentHost } from "../support/editor-processes.ts";
import type { RecordedEvent, ThreadRecords } from "../support/editor-records.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, callsAll, holds, type Step, says, together } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";

const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"vitrine.model.contextWindow": 200_000,
	...FOLLOW_SYSTEM,
};
/** Room for both chats and all lists. */
const WIDE = { width: 1_680, height: 1_050 };

const session = createEditorSession();

const inRepository = session.share(async (desk) => {
	const folder = copySample(desk.editor.root);
	git(folder, "init", "-q", "-b", "main");
	git(folder, "config", "user.name", "A");
	git(folder, "config", "user.email", "a@example.org");
	git(folder, "add", ".");
	git(folder, "commit", "-q", "-m", "first");
	return { ...(await openThread(desk, { folder }, SETTINGS)), folder };
});

test(
	"a worktree is made after its approval, keeps uncommitted work, and is merged and dropped by mouse and keyboard",
	inRepository(async ({ desk, window, folder, play }) => {
		await window.page.setViewportSize(WIDE);
		// Cancelled with the keyboard: nothing is made.
		await window.command("Vitrine: New Thread in Worktree…");
		await window.answer("New Thread in Worktree", "feature/discount");
		await dialogWith(window, "Create the branch feature/discount in a new worktree?").waitFor();
		await takeBothLooks(window, "worktree create");
		await window.press("Escape");
		await dialogWith(window, "").waitFor({ state: "hidden" });
		assert.equal(git(folder, "branch", "--list", "feature/discount"), "");

		const { chat, threadId, path } = await makeWorktree(
			window,
			desk.editor.records,
			folder,
			"feature/discount",
			"Enter",
		);
		play(calls("run_command", { command: "echo new > made.txt" }), says("Made."));
		await chat.ask("Make the file made.txt");
		await chat.waitForEnd();
		assert.equal(readFileSync(join(path, "made.txt"), "utf8"), "new\n");

		// Uncommitted work refuses the drop, and says what to do.
		await window.expandView("Threads");
		const row = window.treeRow("Threads", "feature/discount");
		await row.click({ button: "right" });
		await window.page.locator(".monaco-menu").waitFor();
		await takeBothLooks(window, "worktree menu");
		await window.press("Escape");
		await window.choose("Drop Worktree…", row, { button: "right" });
		const lost = dialogWith(window, "The worktree of feature/discount has uncommitted changes, which would be lost.");
		await lost.getByText("made.txt").waitFor();
		await takeBothLooks(window, "worktree drop refused");
		assert.ok(existsSync(join(path, "made.txt")));
		await pressFocused(window, lost, "Merge Worktree");
		const merge = dialogWith(window, "Merge feature/discount into main?");
		await merge.getByText("1 changed file is committed first.").waitFor();
		await takeBothLooks(window, "worktree merge");
		await merge.getByRole("button", { name: "Merge", exact: true }).click();
		await window.page.locator(".quick-input-title").getByText("Merge Worktree").waitFor();
		await takeBothLooks(window, "worktree merge message");
		await window.answer("Merge Worktree", "Make a file");
		const merged = window.page.locator(".notification-toast", { hasText: "Merged into main: 1 commit." });
		await merged.waitFor();
		await takeBothLooks(window, "worktree merged");
		assert.equal(git(folder, "log", "-1", "--format=%s"), "Make a file");
		await merged.getByRole("button", { name: "Drop Worktree" }).click();
		const drop = dialogWith(window, "Drop the worktree of feature/discount?");
		await drop.waitFor();
		await takeBothLooks(window, "worktree drop");
		await pressFocused(window, drop, "Drop");
		await until("the worktree is gone", () => !existsSync(path));
		await until("its branch is gone", () => git(folder, "branch", "--list", "feature/discount") === "");
		await row.waitFor({ state: "detached" });
		assert.deepEqual(desk.editor.records.promptsOf(threadId), ["Make the file made.txt"], "the thread stays");
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"three sub-agents and two worktree threads survive their host's SIGKILL and a reload, with a correct next total",
	inRepository(async ({ desk, window, folder, model, playEach }) => {
		desk.leave();
		const { records } = desk.editor;
		await window.page.setViewportSize(WIDE);
		const reading = holds("I have read src/basket.js so far. ", "Done.");
		playEach(playByAsker(reading));
		const one = await makeWorktree(window, records, folder, "feature/one", "click");
		await one.chat.ask("Worktree one: install what it needs.");
		await (await one.chat.question()).text();
		const two = await makeWorktree(window, records, folder, "feature/two", "Enter");
		await two.chat.ask("Worktree two: choose a store.");
		await two.chat.frame.locator("[data-question]").getByText("Where should the receipts go?").waitFor();

		await window.command("Vitrine: New Thread");
		const chat = await emptyChat(window);
		await chat.ask("Split the work among three agents.");
		await reading.reached;
		const root = await chat.threadId();
		const agents = await until("three agents are known", () => {
			const known = agentsOf(records, root);
			return known.size === 3 && known;
		});
		const threads = [root, ...agents.values(), one.threadId, two.threadId];
		await until("all of them wait", () =>
			[agents.get("builder"), agents.get("asker"), one.threadId].every(
				(of) => records.questionOf(of ?? "") !== undefined,
			),
		);

		// Everything that waits, of all threads.
		await window.expandView("Activity");
		for (const text of [
			"Agent builder (implement) asks",
			"Agent asker (implement) asks",
			"Worktree one",
			"Worktree two",
		])
			await window.treeRow("Activity", text).waitFor();
		await window.treeRow("Activity", "Waiting for you").filter({ hasText: "4" }).waitFor();
		await window.expandView("Threads");
		const rootRow = window.treeRow("Threads", "Split the work");
		await rootRow.first().waitFor();
		await expandTwistie(rootRow.first());
		for (const name of agents.keys()) await window.treeRow("Threads", `Agent ${name}`).waitFor();
		await takeBothLooks(window, "parallel agents and waiting list");

		// Two chats in view.
		await window.choose("Open Thread in Editor", window.treeRow("Threads", "feature/two"), { button: "right" });
		const tab = await window.chatOf(two.threadId);
		await tab.frame.locator("[data-question]").getByText("Where should the receipts go?").waitFor();
		await chat.frame.locator("[data-approval]").first().waitFor();
		await takeBothLooks(window, "parallel two chats");

		const before = new Map(threads.map((of) => [of, records.eventsOf(of)]));
		const killed = await until("the agent host runs", () => findAgentHost(desk.editor.pid));
		endProcess(killed);
		await until("another agent host runs", () => ![undefined, killed].includes(findAgentHost(desk.editor.pid)));
		await chat.rows("turnEnd").waitFor();
		await chat
			.rows("toolCall")
			.filter({ hasText: "Agent builder" })
			.locator(".fold-note", { hasText: "stopped" })
			.waitFor({ state: "attached" });
		await takeBothLooks(window, "parallel after the kill");
		await window.treeRow("Activity", "Waiting for you").waitFor({ state: "detached" });
		// The host ends the turns of a thread when that is opened.
		for (const of of threads) {
			await openFromList(window, of, records, rootRow.first());
			assertKept(before.get(of) ?? [], records.eventsOf(of), of);
		}
		// The user goes on: the three start again, under other names, and end.
		const again = await window.chat();
		await until("the chat shows the thread", async () => {
			if ((await again.threadId()) === root) return true;
			// The list is sorted by what changed last, so rows may have moved.
			await rootRow.first().click();
			return false;
		});
		reading.release();
		const sentBefore = model.requests.length;
		await again.ask("Go on with three new ones.");
		await again.waitForEnd();
		assert.deepEqual(agentStates(records, root).toSorted(), [
			...["asker interrupted", "asker-2 completed", "builder interrupted"],
			...["builder-2 completed", "reader interrupted", "reader-2 completed"],
		]);
		const spent = records.endOf(root)?.event;
		assert.ok(spent?.type === "turnCompleted" && spent.status === "completed", JSON.stringify(spent));
		const requests = model.requests.length - sentBefore;
		assert.deepEqual([spent.spent?.turn.requests, spent.spent?.turn.tokens], [requests, requests * 110]);
		await takeBothLooks(window, "parallel gone on");

		// A reload of the window brings the tab back with its thread.
		await window.reload();
		const restored = await window.chatOf(two.threadId);
		await restored.rows("userMessage").filter({ hasText: "Worktree two" }).waitFor();
		assert.equal(await (await window.chat()).threadId(), root);
		for (const of of threads) assertKept(before.get(of) ?? [], records.eventsOf(of), of);
		await takeBothLooks(window, "parallel after the reload");
		assert.deepEqual(window.pageErrors, []);
	}),
);

function git(folder: string, ...args: readonly string[]): string {
	return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
}

function dialogWith(window: EditorWindow, text: string) {
	return window.page.locator(".monaco-dialog-box", { hasText: text });
}

/** Moves through the buttons of a dialog with the keyboard until this one has the focus, and presses it. */
async function pressFocused(window: EditorWindow, dialog: ReturnType<typeof dialogWith>, name: string): Promise<void> {
	const button = dialog.getByRole("button", { name, exact: true });
	await until(`${name} has the focus`, async () => {
		if (await button.evaluate((element) => element.ownerDocument.activeElement === element)) return true;
		await window.press("Tab");
		return false;
	});
	await window.press("Enter");
}

/** Through the dialogs, as a user would; `how` the last one is answered. */
async function makeWorktree(
	window: EditorWindow,
	records: ThreadRecords,
	folder: string,
	branch: string,
	how: "click" | "Enter",
): Promise<{ readonly chat: EditorChat; readonly threadId: string; readonly path: string }> {
	await window.command("Vitrine: New Thread in Worktree…");
	await window.answer("New Thread in Worktree", branch);
	const dialog = dialogWith(window, `Create the branch ${branch} in a new worktree?`);
	await dialog.waitFor();
	const create = "Create Worktree";
	if (how === "click") await dialog.getByRole("button", { name: create }).click();
	else await pressFocused(window, dialog, create);
	const path = await until("the worktree is there", () => pathOf(folder, branch));
	const chat = await until("the chat shows the new thread", async () => {
		const shown = await window.chat();
		const threadId = await shown.threadId().catch(() => "");
		return threadId !== "" && records.promptsOf(threadId).length === 0 && shown;
	});
	await chat.waitForFocus();
	return { chat, threadId: await chat.threadId(), path };
}

function pathOf(folder: string, branch: string): string | undefined {
	const listed = git(folder, "worktree", "list", "--porcelain").split("\n\n");
	return listed.find((one) => one.includes(`branch refs/heads/${branch}`))?.match(/^worktree (.*)$/m)?.[1];
}

async function emptyChat(window: EditorWindow): Promise<EditorChat> {
	return until("the chat shows an empty thread", async () => {
		const chat = await window.chat();
		return (await chat.threadId().catch(() => "?")) === "" && chat;
	});
}

async function expandTwistie(row: ReturnType<EditorWindow["treeRow"]>): Promise<void> {
	await until("the row is open", async () => {
		if ((await row.getAttribute("aria-expanded")) === "true") return true;
		await row.locator(".monaco-tl-twistie").click();
		return false;
	});
}

/** Opens a thread from the list, perhaps below another one, until its newest turn has ended on disk. */
async function openFromList(
	window: EditorWindow,
	threadId: string,
	records: ThreadRecords,
	parent: ReturnType<EditorWindow["treeRow"]>,
): Promise<void> {
	const [prompt = ""] = records.promptsOf(threadId);
	const row = window.treeRow("Threads", prompt.slice(0, 12)).first();
	await until(`${threadId} has ended`, async () => {
		if (records.endOf(threadId) !== undefined) return true;
		// A list that was empty while no host ran comes back folded.
		if (!(await row.isVisible())) await expandTwistie(parent);
		await row.click();
		return false;
	});
}

/** Everything that was on disk is still there, in the same order, and what began has ended. */
function assertKept(before: readonly RecordedEvent[], after: readonly RecordedEvent[], threadId: string): void {
	assert.ok(before.length > 0, threadId);
	assert.deepEqual(after.slice(0, before.length), before, `${threadId} lost something`);
	assert.deepEqual(
		after.map(({ seq }) => seq),
		after.map((_, index) => index + 1),
		`${threadId} has a hole`,
	);
	const count = (type: string): number => after.filter(({ event }) => event.type === type).length;
	assert.equal(count("turnStarted"), count("turnCompleted"), `a turn of ${threadId} goes on`);
}

function agentsOf(records: ThreadRecords, root: string): ReadonlyMap<string, string> {
	const reports = records.eventsOf(root).flatMap(({ event }) => (event.type === "agentChanged" ? [event.agent] : []));
	return new Map(reports.map(({ name, threadId }) => [name, threadId]));
}

function agentStates(records: ThreadRecords, root: string): readonly string[] {
	const reports = records.eventsOf(root).flatMap(({ event }) => (event.type === "agentChanged" ? [event.agent] : []));
	return [...new Map(reports.map(({ name, state }) => [name, state]))].map(([name, state]) => `${name} ${state}`);
}

/** What each thread and each agent does, by the words of its request. */
function playByAsker(reading: Step): (request: RecordedRequest) => Step {
	const asked = new Map<string, number>();
	const outside = (command: string) =>
		calls("run_command", { command: ["sh", "-c", command], escalate: { reason: "It needs the network." } });
	const question = (text: string) =>
		calls("ask_user", { question: text, options: [{ label: "SQLite", recommended: true }, { label: "A text file" }] });
	const agent = (name: string, role: string, task: string) => ["start_agent", { name, role, task }] as const;
	const plays: Readonly<Record<string, readonly Step[]>> = {
		root: [
			callsAll([
				agent("reader", "explore", "Read the basket and say how discounts work."),
				agent("builder", "implement", "Add a discount for ten pieces."),
				agent("asker", "implement", "Check that the tests pass."),
			]),
			says("All three are at work."),
		],
		"root again": [
			callsAll(["reader-2", "builder-2", "asker-2"].map((name) => agent(name, "explore", `Go on, ${name}.`))),
			says("I wait."),
		],
		reader: [reading],
		builder: [together(says("I add the discount."), outside("npm install"))],
		asker: [outside("npm test")],
		"Worktree one": [together(says("I install it first."), outside("npm ci"))],
		"Worktree two": [question("Where should the receipts go?")],
	};
	return ({ text }) => {
		const agentName = /<agent_role name=\\"([a-z0-9-]+)\\"/.exec(text)?.[1];
		const worktree = /Worktree (?:one|two)/.exec(text)?.[0];
		const who = agentName ?? worktree ?? (text.includes("Go on with three new ones.") ? "root again" : "root");
		const index = asked.get(who) ?? 0;
		asked.set(who, index + 1);
		return plays[who]?.[index] ?? says(`${who} is done.`);
	};
}
