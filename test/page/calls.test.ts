import assert from "node:assert/strict";
import { test } from "node:test";
import { AgentOrigin } from "../../agent-host/protocol/agent.ts";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { GUARD_MS } from "../../media/model/approval/press-guard.ts";
import { AThread } from "./a-thread.ts";
import { anApproval, aPatch } from "./an-approval.ts";
import type { ChatPage } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

interface Ran {
	readonly exitCode?: number;
	readonly output?: string;
	readonly by?: "user";
	readonly status?: "completed" | "failed";
}

function run(
	thread: AThread,
	command: string,
	{ exitCode = 0, output = "", by, status = "completed" }: Ran = {},
): AThread {
	return thread.item({
		...{ kind: "toolCall", callId: `call ${command}`, name: "run_command", title: command, status, output },
		arguments: JSON.stringify({ command }),
		...(status === "completed" && { command: { state: "ended", exitCode, outputFrom: 0 } }),
		...(by && { by }),
	} as never);
}

async function show(thread: AThread, size = { width: 430, height: 833 }): Promise<ChatPage> {
	const page = await pages.reuse();
	await page.tab.setViewportSize(size);
	await page.tell({ type: "thread", threadId: null, title: "" });
	await page.showThread(thread.events);
	await page.takePosted();
	return page;
}

test("file links in running text and tables open their file and line, and say where they lead", async () => {
	const text = [
		"See [src/tax.js](src/tax.js) and [the test](./test/basket.test.js#L7), or test/tax.test.js:12 there.",
		"",
		"| file |",
		"| --- |",
		"| [a file](docs/My%20notes.md) |",
		"",
		"[odd](javascript:alert(1)) [far](//host/share) at 10:30, example.org:80",
	].join("\n");
	const page = await show(new AThread().turn().ask("Where?").answer(text).end());
	const links = page.tab.locator("[data-file]");
	assert.deepEqual(
		await links.evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute("data-file")])),
		[
			["src/tax.js", "src/tax.js"],
			["the test", "./test/basket.test.js"],
			["test/tax.test.js:12", "test/tax.test.js"],
			["a file", "docs/My notes.md"],
		],
	);
	assert.match(await page.tab.locator("#transcript").innerText(), /the test \(\.\/test\/basket\.test\.js:7\)/);
	assert.equal(await page.tab.locator("#transcript [href]").count(), 0);
	for (let index = 0; index < 3; index++) await links.nth(index).click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "openFile", path: "src/tax.js" },
		{ type: "openFile", path: "./test/basket.test.js", line: 7 },
		{ type: "openFile", path: "test/tax.test.js", line: 12 },
	]);
});

test("a command that deletes is never folded away, and fast steps show no duration", async () => {
	const thread = new AThread().turn().ask("Tidy up");
	for (const command of ["ls", "cat a", "cat b", "rm -rf docs test/tax.test.js", "ls", "cat c", "cat d"])
		run(thread, command);
	const page = await show(thread.answer("Done").end());
	assert.deepEqual(await page.tab.locator("[data-kind=steps]").allInnerTexts(), ["Ran 3 commands", "Ran 3 commands"]);
	assert.equal(await page.tab.getByText("rm -rf docs test/tax.test.js").isVisible(), true);
});

test("a failure shows its last lines; opened, a command shows its whole line to copy and the end of its output", async () => {
	const long = `node ${"--flag ".repeat(40)}last`;
	const output = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n");
	const page = await show(run(new AThread().turn().ask("Try"), long, { exitCode: 128, output }).answer("No").end());
	const row = page.tab.locator("[data-kind=toolCall]");
	assert.match(await row.innerText(), /exit 128/);
	assert.equal(await row.locator(".fold-title").getAttribute("title"), long);
	assert.equal(await row.locator(".live-tail").innerText(), "line 195\nline 196\nline 197\nline 198\nline 199");
	await row.locator(".fold-line").click();
	await page.painted();
	assert.equal(await row.locator(".command-whole").innerText(), long);
	await row.getByRole("button", { name: "Copy: Command" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "copy", text: long }]);
	const rest = await row.locator(".output").evaluate((part) => part.scrollHeight - part.clientHeight - part.scrollTop);
	assert.ok(rest < 2, `${rest} px below`);
});

const METER = "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0";

test("the reason of a failure is visible behind or before a progress meter, whichever line ends it ends with", async () => {
	const reason = "curl: (6) Could not resolve host: registry.example.invalid";
	const outputs = {
		"at its end": `  % Total    % Received % Xferd  Average Speed\n\r${METER}\r${METER}${reason}\n`,
		"before more of it": `${reason}\n\r${`${METER}\r`.repeat(50)}\n`,
		"over it": `${`${METER}\r`.repeat(50)}${reason}\r\n`,
	};
	for (const [place, output] of Object.entries(outputs)) {
		const failed = run(new AThread().turn().ask("Try"), "curl -O https://registry.example.invalid", {
			exitCode: 6,
			output,
		});
		const page = await show(failed.answer("No").end(), { width: 300, height: 600 });
		const inView = await page.tab.locator(".live-tail").evaluate((tail, words) => {
			const frame = tail.getBoundingClientRect();
			const walker = document.createTreeWalker(tail, NodeFilter.SHOW_TEXT);
			const texts: Text[] = [];
			while (walker.nextNode()) texts.push(walker.currentNode as Text);
			return texts.some((text) => {
				const at = text.data.indexOf(words);
				if (at < 0) return false;
				const range = document.createRange();
				range.setStart(text, at);
				range.setEnd(text, at + words.length);
				return [...range.getClientRects()].every(
					({ left, right, top, bottom }) =>
						left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom,
				);
			});
		}, reason);
		assert.ok(inView, place);
	}
});

test("the output of the user's own command is visible without opening anything", async () => {
	const thread = run(new AThread().turn(), "git status", { by: "user", output: "nothing to commit" });
	const page = await show(thread.end());
	assert.equal(await page.tab.getByText("nothing to commit").isVisible(), true);
});

test("in the narrowest panel no part of a command's line overlaps another, and its exit code is whole", async () => {
	for (const width of [168, 285, 430]) {
		const thread = run(new AThread().turn().ask("Try"), "git commit --message 'A rather long one'", { exitCode: 128 });
		const page = await show(thread.answer("No").end(), { width, height: 600 });
		const boxes = await page.tab.locator("[data-kind=toolCall] .fold-line").evaluate((line) =>
			[...line.querySelectorAll(".fold-title, .fold-note, .fold-line > .codicon")]
				.filter((part) => part.checkVisibility())
				// What does not fit is in a row below, which is out of view.
				.filter((part) => part.getBoundingClientRect().top < line.getBoundingClientRect().bottom)
				.map((part) => {
					const { left, right } = part.getBoundingClientRect();
					return { left, right, isCut: part.scrollWidth > part.clientWidth + 1, text: part.textContent };
				}),
		);
		for (const [index, { left }] of boxes.entries()) {
			if (index > 0) assert.ok(left >= (boxes[index - 1]?.right ?? 0) - 0.5, `${width}: ${JSON.stringify(boxes)}`);
		}
		assert.equal(boxes.find(({ text }) => text === "exit 128")?.isCut, false, String(width));
	}
});

test("how long a command took is shown whole or not at all, in a panel of any width", async () => {
	const page = await pages.open({ language: "de" });
	const thread = new AThread().turn().ask("Try");
	for (const command of ["npm test", "node --test test/cart.js", "git commit --message 'A rather long one'"])
		run(thread, command, { exitCode: 1 });
	await page.showThread(thread.answer("No").end().events);
	const seen = new Set<string>();
	for (let width = 170; width <= 500; width += 6) {
		await page.tab.setViewportSize({ width, height: 600 });
		await page.painted();
		const notes = await page.tab.locator(".fold-line").evaluateAll((lines) =>
			lines.flatMap((line) => {
				const frame = line.querySelector(".fold-summary")?.getBoundingClientRect();
				return [...line.querySelectorAll<HTMLElement>(".fold-note")]
					.map((note) => ({ note, box: note.getBoundingClientRect() }))
					.filter(({ box }) => frame && box.top < frame.bottom && box.left < frame.right)
					.map(({ note, box }) => {
						const isCut = note.scrollWidth > note.clientWidth || box.right > (frame?.right ?? 0) + 0.5;
						return `${note.textContent?.trim()}${isCut ? " cut" : ""}`;
					});
			}),
		);
		for (const note of notes) seen.add(note);
	}
	assert.deepEqual([...seen].sort(), ["Exit 1", "· 0,0 s"]);
	await pages.open();
});

test("a patch that was not allowed is denied, one whose turn was stopped is stopped, and only a failure is one", async () => {
	const patch = "*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch";
	const call = { kind: "fileChange", callId: "call-1", name: "apply_patch", title: "Add a.txt" } as const;
	const item = { ...call, id: "p" as never, arguments: JSON.stringify({ patch }) };
	const reason = { reason: "Read Only allows no edits.", what: "Add a.txt", digest: "d" };
	const asks = { type: "approvalRequested", request: anApproval({ subject: aPatch() }) } as const;
	const resolves = { type: "approvalResolved", approvalId: "a1", decision: "deny" } as const;
	const show = async (status: "failed" | "interrupted", ...between: readonly Parameters<AThread["add"]>[0][]) => {
		const thread = new AThread().turn().ask("Go");
		for (const event of [{ type: "itemStarted", item: { ...item, status: "running" } } as const, ...between])
			thread.add(event);
		thread.add({ type: "itemCompleted", item: { ...item, status, output: "Why." } });
		const page = await pages.reuse();
		await page.showThread(thread.events);
		const row = page.tab.locator('[data-kind="toolCall"]').last();
		const [mark, note] = [row.locator("[class^=tool-]"), row.locator(".fold-note.state")];
		const word = await row.locator(".fold-summary > .sr-only").innerText();
		return [await mark.getAttribute("class"), word.trim(), await note.innerText()];
	};
	assert.deepEqual(await show("failed"), ["tool-failed", "Failed:", "failed"]);
	const refused = { type: "decided", callId: "call-1", decision: "deny", by: "policy", ...reason } as const;
	assert.deepEqual(await show("failed", refused), ["tool-interrupted", "Denied:", "denied"]);
	assert.deepEqual(await show("failed", asks, { ...resolves, by: "user" }), ["tool-interrupted", "Denied:", "denied"]);
	assert.deepEqual(await show("interrupted", asks, { ...resolves, by: "host" }), [
		...["tool-interrupted", "Stopped:", "stopped"],
	]);
});

test("a call that the user denied is shown as denied, without the time they took", async () => {
	const thread = new AThread().turn().ask("Publish");
	const request = anApproval({ callId: "call npm publish" });
	const call = { kind: "command", id: "publish", callId: request.callId, name: "run_command", title: "" } as const;
	const asked = { ...call, arguments: JSON.stringify({ command: "npm publish" }) };
	thread.begin({ ...asked, status: "running" }).add({ type: "approvalRequested", request });
	thread.add({ type: "approvalResolved", approvalId: "a1", decision: "deny", by: "user" });
	const page = await show(
		thread
			.item({ ...asked, status: "failed" })
			.answer("Then not")
			.end(),
	);
	const row = page.tab.locator("[data-kind=toolCall]");
	assert.match(await row.innerText(), /npm publish\s+denied/);
	assert.equal(await row.locator(".tool-failed").count(), 0);
	assert.equal(await page.tab.locator("[data-kind=approval]").count(), 0, "one row for both");
	await row.locator(".fold-line").click();
	assert.match(await row.locator(".fold-body").innerText(), /^Denied$/m);
});

test("a failure that a later turn has superseded keeps its reason and offers no action", async () => {
	const failed = new AThread()
		.turn()
		.ask("Go")
		.add({
			...{ type: "turnCompleted", status: "failed" },
			error: { code: "auth", message: "The key was refused.", retryable: false },
		} as never);
	const page = await show(failed);
	assert.ok((await page.tab.locator("[data-kind=turnEnd] button").count()) > 0);
	await page.publish(...failed.turn().ask("Go").answer("Done").end().events.slice(-4));
	assert.match(await page.tab.locator("[data-kind=turnEnd]").innerText(), /The key was refused/);
	assert.equal(await page.tab.locator("[data-kind=turnEnd] button").count(), 0);
});

test("a sub-agent's row shows its state, opens its summary, links to its thread, and is never folded away", async () => {
	const agent = {
		threadId: "child" as ThreadId,
		callId: "c1",
		name: "finder",
		role: "explore",
		state: "running",
	} as const;
	const title = "Agent finder (explore): Find all callers.";
	const call = { kind: "toolCall", id: "start", callId: "c1", name: "start_agent", arguments: "{}", title } as const;
	const thread = new AThread()
		.turn()
		.ask("Look")
		.begin({ ...call, status: "running" });
	thread.add({ type: "agentChanged", agent }).item({ ...call, status: "completed", output: "finder works." });
	const page = await show(thread);
	const row = page.tab.locator("[data-row=start]");
	assert.equal((await row.innerText()).replaceAll(/\s*\n\s*/g, " "), `Running: ${title} running`);
	const done = { ...agent, state: "completed", summary: "Two callers, in **src**.", changedFiles: 2 } as const;
	await page.publish(thread.next({ type: "agentChanged", agent: done }));
	await row.locator(".fold-line").click();
	await page.painted();
	assert.equal(
		(await row.innerText()).replaceAll(/\s*\n\s*/g, " "),
		`Done: ${title} Two callers, in **src**. 2 files changed Open Thread`,
	);
	await row.getByRole("button", { name: "Open Thread" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "openThread", threadId: "child" }]);
});

test("a failed sub-agent or hook shows why without a press", async () => {
	const call = {
		kind: "toolCall",
		id: "start",
		callId: "c1",
		name: "start_agent",
		arguments: "{}",
		title: "Agent a (b)",
	} as const;
	const hook = {
		kind: "hook",
		id: "hook",
		callId: "hook-1",
		name: "PostToolUse",
		arguments: "./fmt",
		title: "PostToolUse hook: ./fmt",
	} as const;
	const agent = {
		threadId: "child" as ThreadId,
		callId: "c1",
		name: "a",
		role: "b",
		state: "failed",
		summary: "No model.",
	} as const;
	const thread = new AThread()
		.turn()
		.ask("Look")
		.item({ ...call, status: "completed", output: "" });
	thread.add({ type: "agentChanged", agent }).item({ ...hook, status: "failed", output: "fmt: not found" });
	const page = await show(thread);
	assert.deepEqual(await page.tab.locator(".why-failed").allInnerTexts(), ["No model.", "fmt: not found"]);
	await page.tab.locator("[data-row=hook] .fold-line").click();
	await page.painted();
	assert.deepEqual(await page.tab.locator(".why-failed").allInnerTexts(), ["No model."]);
	assert.match(await page.tab.locator("[data-row=hook]").innerText(), /Command\s+\.\/fmt\s+Result\s+fmt: not found/);
});

test("the approval of a sub-agent says which one asks", async () => {
	const agent = { parent: "thread-1", name: "builder", role: "implement" };
	const request = { ...anApproval(), agent } as ReturnType<typeof anApproval>;
	const page = await show(new AThread().turn().ask("Go").add({ type: "approvalRequested", request }));
	assert.equal(await page.tab.locator(".approval .asking-agent").innerText(), "Agent builder (implement) asks");
});

test("approvals of a thread's sub-agents are cards in that thread, answered there once, and gone with the answer", async () => {
	const agent = (name: string) => AgentOrigin.parse({ parent: "thread-1", name, role: "implement" });
	const asked = (name: string, approvalId: string) =>
		anApproval({
			threadId: ThreadId.parse(name),
			turnId: TurnId.parse(`turn-${name}`),
			approvalId,
			agent: agent(name),
		});
	const question = QuestionRequest.parse({
		...{ threadId: "c", turnId: "turn-c", questionId: "q1", agent: agent("c"), choices: ["continue", "stop"] },
		subject: { kind: "loop", name: "read_file", title: "Read a.ts", times: 5 },
	});
	const page = await show(new AThread().turn().ask("Go"));
	const wait = (approvals: readonly ApprovalRequest[], questions: readonly QuestionRequest[], threadId = "thread-1") =>
		page.tell({ type: "agentsWaiting", threadId, approvals, questions });
	const whoAsks = () => page.tab.locator(".asking-agent").allInnerTexts();
	await wait([asked("x", "a9")], [], "thread-2");
	assert.deepEqual(await whoAsks(), []);
	await wait([asked("a", "a1"), asked("b", "a2")], [question]);
	assert.deepEqual((await whoAsks()).toSorted(), ["Agent a (implement) asks", "Agent c (implement) asks"]);
	assert.equal(await page.tab.locator(".approvals-pager").innerText(), "1 of 2");
	assert.equal(await page.tab.locator("[data-progress=agent]").innerText(), "Agent a needs your answer");
	assert.equal(await page.tab.locator(".allow-group").count(), 0, "two agents are never allowed together");
	assert.match(await page.tab.locator("div.sr-only[role=status]").innerText(), /^Vitrine needs your answer: /);
	await page.takePosted();
	await page.passTime(GUARD_MS);
	await page.tab.locator("[data-decision=allow]").first().click();
	await page.tab.locator("[data-choice=stop]").click();
	const answered = { type: "answerApproval", approvalId: "a1", digest: anApproval().digest, decision: "allow" };
	assert.deepEqual(await page.takePosted(), [answered, { type: "answerQuestion", questionId: "q1", choice: "stop" }]);
	await page.tab.mouse.move(5, 5);
	await wait([asked("b", "a2")], []);
	assert.deepEqual(await whoAsks(), ["Agent b (implement) asks"]);
	await wait([], []);
	assert.deepEqual(await whoAsks(), []);
	assert.equal(await page.tab.locator("[data-progress=agent]").count(), 0);
	await wait([asked("b", "a2")], []);
	await page.tell({ type: "thread", threadId: "thread-3", title: "Another" });
	assert.deepEqual(await whoAsks(), []);
});
