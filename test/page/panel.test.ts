import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemId } from "../../agent-host/protocol/ids.ts";
import type { TurnErrorCode } from "../../agent-host/protocol/thread/events.ts";
import { SILENCE_MS } from "../../media/model/thread/progress.ts";
import type { PanelCommand, PanelState } from "../../media/wire.ts";
import { aContext, ITEMS } from "./a-context.ts";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { findViolations } from "./find-violations.ts";
import { OPENED_AT, usePages } from "./open-page.ts";
import { firstVisible, scrollBy } from "./reader.ts";

const pages = usePages();

async function openWith(change: Partial<PanelState>): Promise<ChatPage> {
	const page = await pages.open();
	await page.tell({ type: "panel", panel: aPanel(change) }, { type: "thread", threadId: null, title: "" });
	await page.takePosted();
	return page;
}

/** Every banner as its name and what it says, buttons included. */
function banners(page: ChatPage) {
	return page.tab
		.locator("[data-banner]")
		.evaluateAll((all) =>
			all.map((banner) => [
				banner.getAttribute("data-banner"),
				banner.textContent,
				banner.querySelectorAll("button").length,
			]),
		);
}

test("the prompt is at the bottom from the first frame on, before the page knows anything", async () => {
	const page = await pages.open();
	const bottom = () => page.tab.locator("textarea").evaluate((box) => innerHeight - box.getBoundingClientRect().bottom);
	assert.ok((await bottom()) < 60, `${await bottom()} px above the bottom`);
});

test("with a trusted folder and a configured model there is no banner", async () => {
	const page = await openWith({});
	assert.deepEqual(await banners(page), []);
	assert.deepEqual(await page.tab.locator("#footer .chip").allInnerTexts(), ["app", "gpt-5.1", "permissions"]);
});

test("what failed in a thread is not said in the next one", async () => {
	const page = await openWith({});
	await page.tell({ type: "thread", threadId: THREAD, title: "One" }, { type: "problem", message: "It still runs." });
	assert.equal((await banners(page)).length, 1);
	await page.tell({ type: "thread", threadId: null, title: "" });
	assert.deepEqual(await banners(page), []);
});

test("each limit of the window has a banner, with the button that lifts it", async () => {
	const page = await openWith({
		host: { state: "stopped", reason: "The agent host ended." },
		trusted: false,
		limits: [
			{ text: "No sandbox was found. Install bubblewrap.", command: "apt install bubblewrap", canCheck: true },
			{ text: "Nothing can be saved.", canCheck: false },
		],
		folders: [],
		model: { provider: "demo", label: "Demo model", incomplete: false },
	});
	assert.deepEqual(await banners(page), [
		["hostStopped", "The agent host ended.Restart Agent HostShow Log", 2],
		["restricted", "Restricted Mode: read-onlyManage Workspace Trust", 1],
		["limit", "No sandbox was found. Install bubblewrap.apt install bubblewrapCopy CommandCheck Again", 2],
		["limit", "Nothing can be saved.Restart Agent Host", 1],
		["noFolder", "No folder is open, so no files are available. You can still ask questions.Open Folder", 1],
		["demo", "Demo model, scripted and offlineSet Up Model", 1],
	]);
	for (const button of await page.tab.locator("[data-banner] button").all()) await button.click();
	const run = (command: PanelCommand) => ({ type: "run", command });
	assert.deepEqual(await page.takePosted(), [
		...(["restartHost", "showLog", "manageTrust"] as const).map(run),
		{ type: "copy", text: "apt install bubblewrap" },
		...(["checkSandbox", "restartHost", "openFolder", "setUpModel"] as const).map(run),
	]);
});

test("settings that the thread has not adopted are offered, and a folder that is not open here is named", async () => {
	const next = aNextTurn({ offered: "gpt-5.2, Workspace", cwd: "/repo/other", isFolderOpen: false });
	const page = await openWith({ next });
	assert.deepEqual(await banners(page), [
		[
			"folderNotOpen",
			"/repo/other is not open in this window, so this thread is read-only there.Open Folder in New WindowChange Folder",
			2,
		],
		["offered", "Settings changed: gpt-5.2, Workspace. This thread still uses its own.Use SettingsKeep", 2],
	]);
	for (const button of await page.tab.locator("[data-banner] button").all()) await button.click();
	assert.deepEqual(
		await page.takePosted(),
		(["openThreadFolder", "changeFolder", "useSettings", "keepSettings"] as const).map((command) => ({
			type: "run",
			command,
		})),
	);
});

test("a problem stays until it is dismissed, and is announced once", async () => {
	const page = await openWith({});
	await page.tell({ type: "problem", message: "Cannot show the thread.", action: "showLog" });
	await page.tell({ type: "problem", message: "Cannot show the thread.", action: "showLog" });
	assert.deepEqual(await banners(page), [["problem", "Cannot show the thread.Show Log", 2]]);
	await page.tab.getByRole("button", { name: "Dismiss" }).click();
	assert.deepEqual(await banners(page), []);
});

test("an empty thread says in plain words what the agent can see and do", async () => {
	const page = await openWith({ folders: ["app", "lib"], trusted: false });
	assert.equal(
		await page.tab.locator(".welcome p").textContent(),
		"Using gpt-5.1 in app and lib. Restricted Mode: it can read files, but not change them or run commands.",
	);
});

test("an empty thread without a model says that one must be set up, not what the agent would do", async () => {
	const page = await openWith({ model: { ...aPanel().model, label: "" } });
	assert.equal(await page.tab.locator(".welcome p").textContent(), "No model is set up yet. Set one up to start.");
});

test("an empty thread offers to fix what the editor complains about and to continue the last thread", async () => {
	const latest = { threadId: "thread-9", title: "Fix the flaky\u202E test", at: OPENED_AT - 2.5 * 3_600_000 };
	const page = await openWith({ latest });
	const problems = { key: "p", kind: "problems", label: "2 problems", title: "2 problems in src/retry.ts" } as const;
	await page.tell({ type: "editorChips", chips: [{ ...problems, isOn: false }] });
	const ways = page.tab.locator(".example");
	assert.deepEqual(await ways.allInnerTexts(), [
		"Explain what this workspace does and how it is structured",
		"Fix 2 problems in src/retry.ts",
		"Continue: Fix the flaky\\u{202E} test (2 hr. ago)",
	]);
	await ways.nth(1).click();
	assert.deepEqual(await page.tab.locator(".context-chip").allInnerTexts(), ["2 problems"]);
	await page.tab.locator("#composer").press("Enter");
	await ways.nth(2).click();
	const [sent, opened] = await page.takePosted();
	assert.ok(sent?.type === "submit");
	assert.deepEqual([sent.text, sent.attached], ["Fix the attached problems.", ["p"]]);
	assert.deepEqual(opened, { type: "openThread", threadId: "thread-9" });
});

test("every kind of entry has its kind of row, and folds open to their contents", async () => {
	const page = await pages.open({ height: 1_400 });
	const thread = new AThread().turn().ask("Question");
	const fragment = { kind: "environment", role: "user", origin: "host", summary: "cwd /app", tokens: 1_200 } as const;
	thread.add({ type: "contextUpdated", fragments: [fragment] });
	thread.item({ kind: "reasoning", text: "A *thought*." });
	const call = { kind: "toolCall", callId: "c", name: "read_file", title: "Read a.ts", status: "completed" } as const;
	thread.item({ ...call, arguments: '{"path":"a.ts"}', output: "1: x" });
	thread.item({ kind: "notice", level: "info", text: "A notice." });
	thread.add({ type: "warning", code: "w", message: "A warning." });
	thread
		.item({ kind: "agentMessage", text: "Half an", cut: true })
		.add({ type: "turnCompleted", status: "interrupted" });
	await page.showThread(thread.events);
	for (const fold of await page.tab.locator(".fold-line").all()) await fold.click();
	await page.painted();
	const rows = await page.tab
		.locator("[data-row]")
		.evaluateAll((all) =>
			all.map((row) => [row.getAttribute("data-kind"), row.getAttribute("data-item"), row.textContent]),
		);
	assert.deepEqual(rows, [
		["userMessage", "item-1", "Question"],
		["reasoning", "item-2", "ThoughtA thought."],
		["toolCall", "item-3", 'Done: Read a.tsread_file, called with{\n  "path": "a.ts"\n}Result1: x'],
		["notice", "item-4", "A notice."],
		["warning", null, "A warning."],
		["agentMessage", "item-5", "Half an"],
		["turnEnd", null, "StoppedRetrycontext sentenvironmentfrom host · 1,200 tokenscwd /appShow full text"],
	]);
});

/** A long answer, then a turn of so many calls that is still to end. */
function aLongTurn(calls: number): AThread {
	const thread = new AThread().turn().ask("First").answer("A line.\n\n".repeat(60)).end().turn().ask("Where?");
	const call = { kind: "toolCall", callId: "c", name: "read_file", arguments: "{}" } as const;
	for (let place = 1; place <= calls; place++) {
		thread.item({ ...call, id: `call-${place}`, title: `Read ${place}.ts`, status: "completed", output: "1: x" });
	}
	return thread;
}

test("the steps of a successful turn are one line, which opens and closes in place", async () => {
	const page = await pages.open({ height: 500 });
	const thread = aLongTurn(9).answer("There.\n\n".repeat(60)).end();
	await page.showThread(thread.events.map((event, index) => ({ ...event, at: index * 5_000 })));
	const line = page.tab.locator("[data-kind=steps] button");
	await page.tab.keyboard.press("Alt+ArrowUp");
	await page.painted();
	assert.equal(await line.textContent(), "Read 9 files40 s");
	assert.equal(await line.getAttribute("aria-expanded"), "false");
	assert.equal(await page.tab.locator("[data-kind=toolCall]").count(), 0);
	const before = await line.boundingBox();
	await line.focus();
	await page.tab.keyboard.press("Enter");
	await page.painted();
	assert.equal(await line.getAttribute("aria-expanded"), "true");
	assert.equal(await page.tab.locator("[data-kind=toolCall]").count(), 9);
	assert.deepEqual(await line.boundingBox(), before);
	await page.tab.locator("#transcript").press("End");
	await page.publish(thread.next({ type: "titleChanged", title: "Another" }));
	assert.equal(await line.count(), 0);
	await page.tab.locator("#composer").focus();
	await page.tab.keyboard.press("Alt+ArrowUp");
	await page.painted();
	assert.equal(await page.tab.locator("[data-kind=toolCall]").count(), 9);
	await line.click();
	await page.painted();
	assert.equal(await page.tab.locator("[data-kind=toolCall]").count(), 0);
});

test("rows that a reader opened stay open when the turn ends, until its line is closed", async () => {
	const page = await pages.open({ height: 900 });
	const thread = aLongTurn(3);
	await page.showThread(thread.events);
	const step = page.tab.locator("[data-row=call-2]");
	await step.locator(".fold-line").click();
	await page.publish(thread.next({ type: "turnCompleted", status: "completed" }));
	assert.match(await step.innerText(), /1: x/);
	await step.locator(".fold-line").click();
	assert.doesNotMatch(await step.innerText(), /1: x/);
	await page.tab.locator("[data-kind=steps] button").click();
	await page.painted();
	assert.equal(await step.count(), 0);
});

test("a reader among a turn's steps is at their line when the turn ends", async () => {
	const page = await pages.open({ height: 400 });
	const thread = aLongTurn(40).answer("There.\n\n".repeat(60));
	await page.showThread(thread.events);
	await page.tab.keyboard.press("Alt+ArrowUp");
	await scrollBy(page, 600);
	assert.match((await firstVisible(page)).key, /^call-/);
	await page.publish(thread.next({ type: "turnCompleted", status: "completed" }));
	assert.equal((await firstVisible(page)).key, "call-1.steps");
});

test("each failure offers the action that helps", async () => {
	const page = await pages.open();
	const offered: Record<string, string[]> = {};
	for (const code of [
		"auth",
		"network",
		"model-not-set-up",
		"context-too-long",
		"internal",
	] satisfies TurnErrorCode[]) {
		const error = { code, message: "It failed." };
		await page.showThread(new AThread().turn().ask("x").add({ type: "turnCompleted", status: "failed", error }).events);
		offered[code] = await page.tab.locator(".failure button").allTextContents();
	}
	assert.deepEqual(offered, {
		auth: ["Set Up Model", "Retry"],
		network: ["Retry", "Show Log"],
		"model-not-set-up": ["Set Up Model", "Retry"],
		"context-too-long": ["New Thread"],
		internal: ["Retry", "Show Log"],
	});
});

test("only the newest turn can be retried, and only when none runs", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("one").add({ type: "turnCompleted", status: "interrupted" });
	thread.turn().ask("two").add({ type: "turnCompleted", status: "interrupted" });
	await page.showThread(thread.events);
	await page.takePosted();
	await page.tab.locator("[data-action=retry]").click();
	assert.deepEqual(await page.takePosted(), [{ type: "retry", turnId: "turn-2" }]);
	const start = thread.events.length;
	await page.publish(...thread.turn().events.slice(start));
	assert.equal(await page.tab.locator("[data-action=retry]").count(), 0);
});

test("code is copied as written, and coloured once its fence is closed", async () => {
	const page = await pages.open();
	const code = "const a = `<b>`;\n\n\treturn a;";
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	await page.showThread(thread.events);
	await page.publish(thread.delta("m", 0, `\`\`\`ts\n${code}`));
	assert.equal(await page.tab.locator("pre [class^=hl-]").count(), 0);
	await page.publish(thread.delta("m", code.length + 6, "\n```\n\n"));
	assert.equal(await page.tab.locator("pre .hl-keyword").first().textContent(), "const");
	await page.takePosted();
	await page.tab.getByRole("button", { name: "Copy code" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "copy", text: code }]);
});

test("formulas are drawn once their chunk has loaded; text that is no formula stays as written", async () => {
	const page = await pages.open();
	const text =
		"So $a^2$ costs $5 or $6.\n\n$$\n\\frac{1}{2}\n$$\n\n\\[ \\frac{a \\]\n\n$\\href{https://evil.example}{x}$";
	await page.showThread(new AThread().turn().ask("Why?").answer(text).end().events);
	const answer = page.tab.locator("article.markdown");
	await answer.locator("math").first().waitFor();
	assert.equal(await answer.locator("math").count(), 2);
	assert.equal(
		await answer.locator("mfrac").evaluate((fraction) => fraction.namespaceURI),
		"http://www.w3.org/1998/Math/MathML",
	);
	assert.equal(await answer.locator(".formula").first().getAttribute("title"), "$a^2$");
	assert.deepEqual(await answer.locator(".formula-source").allInnerTexts(), [
		"\\[ \\frac{a \\]",
		"$\\href{https://evil.example}{x}$",
	]);
	assert.deepEqual([page.errors, page.strangers, await page.violations()], [[], [], []]);
});

test("diagrams are drawn once their chunk has loaded, and copied as source; invalid or misleading ones stay code", async () => {
	const page = await pages.open();
	const chart = 'flowchart TD\n  A["<img src=x onerror=alert(1)>"] --> B[Two]\n  click B href "javascript:alert(1)"';
	const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;
	const text = [chart, 'pie\n  "a" : 1', "flowchart TD\n  A[open"].map(fence).join("\n\n");
	await page.showThread(new AThread().turn().ask("Draw it").answer(text).end().events);
	const answer = page.tab.locator("article.markdown");
	const drawing = answer.locator(".diagram svg");
	await drawing.waitFor();
	assert.equal(await drawing.count(), 1);
	assert.equal(await drawing.evaluate((svg) => svg.namespaceURI), "http://www.w3.org/2000/svg");
	assert.deepEqual(await drawing.locator("text").allTextContents(), ["<img src=xonerror=alert(1)>", "Two"]);
	assert.equal(await answer.locator("img, a, script, style, foreignObject, [href]").count(), 0);
	assert.deepEqual(await answer.locator(".code > pre").allTextContents(), ['pie\n  "a" : 1', "flowchart TD\n  A[open"]);
	await page.takePosted();
	await answer.locator("[data-action=copy]").first().click();
	assert.deepEqual(await page.takePosted(), [{ type: "copy", text: chart }]);
	await answer.getByText("Source", { exact: true }).click();
	assert.equal(await answer.locator(".diagram-source pre").innerText(), chart);
	assert.deepEqual([page.errors, page.strangers, await page.violations()], [[], [], []]);
});

test("the page makes its own two-note sound, with different notes for a finished turn and a waiting one", async () => {
	const page = await pages.open({ isAlone: true });
	await page.tab.evaluate(() => {
		const notes: number[] = [];
		Object.assign(window, { notes });
		const create = AudioContext.prototype.createOscillator;
		AudioContext.prototype.createOscillator = function () {
			const note = create.call(this);
			const start = note.start.bind(note);
			note.start = (when) => {
				notes.push(note.frequency.value);
				start(when);
			};
			return note;
		};
	});
	await page.tell({ type: "chime", about: "done" }, { type: "chime", about: "waiting" });
	const notes = await page.tab.evaluate(() => Reflect.get(window, "notes") as readonly number[]);
	assert.deepEqual(notes, [660, 880, 880, 660]);
	assert.deepEqual([page.errors, page.strangers, await page.violations()], [[], [], []]);
});

test("the meter and the context breakdown follow the host's count for this thread", async () => {
	const page = await pages.open();
	const report = (threadId: string, tokens: number) => {
		const next = aNextTurn({ threadId, context: { tokens, effectiveWindow: 30_400 } });
		return page.tell({ type: "panel", panel: aPanel({ next }) });
	};
	await page.showThread(new AThread().turn().end().events);
	await report(THREAD, 2_741);
	const meter = page.tab.locator("#context-meter");
	assert.equal(await meter.innerText(), "91% context left");
	assert.equal(await meter.getAttribute("title"), "About 2,741 tokens of 30,400, 91% left");
	assert.equal(await meter.getAttribute("data-level"), "plain");
	await report("another", 15_200);
	assert.equal(await meter.getAttribute("data-level"), "unconfirmed");
	await page.tell({ type: "context", context: aContext(ITEMS) });
	await page.takePosted();
	await report(THREAD, 3_000);
	assert.deepEqual(await page.takePosted(), [{ type: "readContext" }]);
});

test("the thread's title is above it and can be changed; an empty thread has none", async () => {
	const page = await pages.open();
	const title = page.tab.locator(".thread-title");
	await page.tell({ type: "panel", panel: aPanel() }, { type: "thread", threadId: null, title: "" });
	assert.equal(await title.count(), 0);
	await page.showThread(new AThread().turn().ask("x").end().events, "Fix the greeting (fork)");
	assert.equal(await title.innerText(), "Fix the greeting (fork)");
	await page.takePosted();
	await title.click();
	assert.deepEqual(await page.takePosted(), [{ type: "run", command: "renameThread" }]);
});

test("one click raises the newest turn's limit; a rate limit counts down beside a Stop that fits a narrow panel", async () => {
	const page = await pages.open({ width: 260 });
	const limit = { scope: "day", unit: "tokens", limit: 10, spent: 12 } as const;
	const error = { code: "budget", message: "Today's work has used 12 tokens.", limit } as const;
	const thread = new AThread().turn().ask("x").add({ type: "turnCompleted", status: "failed", error });
	await page.showThread(thread.events);
	await page.takePosted();
	const raise = page.tab.locator(".failure [data-action=raiseToNextLimit]");
	assert.equal(await raise.innerText(), "Raise to 20 tokens");
	await page.tab.locator(".failure").getByText("Today 12 tokens of the limit of 10 tokens have been used.").waitFor();
	await raise.click();
	const start = thread.events.length;
	const waits = { attempt: 2, attempts: 5, waitMs: OPENED_AT + 30_000, code: "rate-limit", reason: "" } as const;
	await page.publish(
		...thread
			.turn()
			.add({ type: "retrying", ...waits })
			.events.slice(start),
	);
	assert.equal(await raise.count(), 0);
	const status = page.tab.locator("[data-progress=countdown]");
	assert.match(await status.innerText(), /^Rate limited. Retrying in 30 s, at \d\d?:\d\d:\d\d\s[AP]M\s+Stop$/);
	const { x = 0, width = 0 } = (await status.getByRole("button").boundingBox()) ?? {};
	assert.ok(x >= 0 && width > 0 && x + width <= 260, `Stop ends at ${x + width}`);
	await status.getByRole("button").click();
	assert.deepEqual(await page.takePosted(), [{ type: "run", command: "raiseToNextLimit" }, { type: "stop" }]);
});

test("after a minute of silence the panel says so, with the ways out, until something arrives", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("Explain this workspace");
	await page.showThread(thread.events.map((event) => ({ ...event, at: OPENED_AT })));
	await page.takePosted();
	const silent = page.tab.locator("[data-progress=silent]");
	await page.passTime(SILENCE_MS - 5_000);
	await page.tab.getByText("Waiting for the model").waitFor();
	assert.equal(await silent.count(), 0);
	await page.passTime(10_000);
	assert.match(await silent.innerText(), /^No response for 1 min 5 s\s+Retry\s+Show Log$/);
	for (const name of ["Retry", "Show Log"]) await silent.getByRole("button", { name }).click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "retry", turnId: "turn-1", stop: true },
		{ type: "run", command: "showLog" },
	]);
	await page.publish(
		thread.next({ type: "itemCompleted", item: { kind: "agentMessage", id: "m" as ItemId, text: "A" } }),
	);
	await page.tab.locator("[data-progress=working]").waitFor();
});

test("times and folded steps are shown as the user has set", async () => {
	const page = await pages.open();
	await page.showThread(aLongTurn(3).end().events);
	const seen = async (change: Partial<PanelState["chat"]>) => {
		await page.tell({ type: "panel", panel: aPanel({ chat: { ...aPanel().chat, ...change } }) });
		return [await page.tab.locator("time").count(), await page.tab.locator("[data-kind=steps]").count()];
	};
	assert.deepEqual(await seen({}), [0, 1]);
	assert.deepEqual(await seen({ timestamps: true }), [1, 1]);
	assert.deepEqual(await seen({ foldSteps: "never" }), [0, 0]);
});

test("changes to build files are marked where changes are counted, with text for a tooltip and a screen reader", async () => {
	const page = await pages.open({ width: 285 });
	const paths = ["/app/a.ts", "/app/package.json", "/app/one/package.json", "/app/one/Makefile"];
	const thread = new AThread()
		.turn()
		.ask("Change it")
		.add({ type: "filesChanged", files: 1, paths: ["/app/package.json"] })
		.end()
		.turn()
		.add({ type: "filesChanged", files: 4, paths, runWithBuild: paths.slice(1) });
	await page.showThread(thread.end().events);
	const rows = page.tab.locator("[data-kind=turnSummary]");
	assert.equal(await rows.first().getByRole("img").count(), 0, "an older release said nothing");
	const words = "Runs with your build or tests: package.json, Makefile";
	const mark = rows.last().getByRole("img", { name: words, exact: true });
	assert.ok(await mark.isVisible());
	assert.equal(await mark.getAttribute("title"), words);

	const bar = page.tab.locator("[data-bar=changes]");
	await page.tell({ type: "panel", panel: aPanel({ changes: { files: 4, hunks: 4, runWithBuild: [], list: [] } }) });
	assert.equal(await bar.getByRole("img").count(), 0);
	const many = Array.from({ length: 10 }, (_, index) => `${index}/go.mod`);
	await page.tell({
		type: "panel",
		panel: aPanel({ changes: { files: 12, hunks: 12, runWithBuild: many, list: [] } }),
	});
	const named = `Runs with your build or tests: ${many.slice(0, 8).join(", ")} and 2 more files`;
	assert.ok(await bar.getByRole("img", { name: named, exact: true }).isVisible());
	assert.deepEqual(await findViolations(page), []);
});

test("changed files are listed with their lines; each can be opened, kept or rejected alone, and the list folds", async () => {
	const page = await pages.reuse();
	const file = { path: "/app/src/retry.ts", name: "src/retry.ts", operation: "update", added: 12, removed: 4 } as const;
	const gone = { path: "/app/old.ts", name: "old.ts", operation: "delete", added: 0, removed: 9 } as const;
	const changes = { files: 3, hunks: 5, runWithBuild: [], list: [file, gone] };
	await page.tell({ type: "panel", panel: aPanel({ changes }) });
	await page.takePosted();
	const bar = page.tab.locator("[data-bar=changes]");
	assert.deepEqual(await bar.getByRole("listitem").allInnerTexts(), [
		"retry.ts src\n+12 −4",
		"old.ts\n+0 −9",
		"and 1 more file",
	]);
	for (const [name, act] of [
		["Show changes in src/retry.ts", "open"],
		["Keep changes in src/retry.ts", "keep"],
		["Reject changes in src/retry.ts", "reject"],
	] as const) {
		await bar.getByTitle(name).click();
		assert.deepEqual(await page.takePosted(), [{ type: "reviewFile", path: file.path, act }]);
	}
	const title = bar.getByRole("button", { name: "5 pending changes in 3 files" });
	await title.click();
	assert.deepEqual([await title.getAttribute("aria-expanded"), await bar.getByRole("listitem").count()], ["false", 0]);
	await title.click();
	assert.equal(await bar.getByRole("listitem").count(), 3);
	assert.deepEqual(await findViolations(page), []);
});
