import assert from "node:assert/strict";
import { test } from "node:test";
import { ItemId } from "../../agent-host/protocol/ids.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import type { CommandEnd } from "../../agent-host/protocol/thread/item.ts";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { aReport } from "./a-report.ts";
import { AThread } from "./a-thread.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();
let page: ChatPage;

/** Shows a thread as a new one, so that no fold of the previous one remains. */
async function show({ events }: Pick<AThread, "events">): Promise<void> {
	page = await pages.reuse({ height: 1_200 });
	await page.tell({ type: "thread", threadId: null, title: "" });
	await page.showThread(events);
	await page.takePosted();
}

const CALL = { kind: "toolCall", id: "call", callId: "c", title: "" } as const;
const RUN = { ...CALL, name: "run_command", arguments: JSON.stringify({ command: "npm test" }) } as const;

function growth(thread: AThread, offset: number, text: string) {
	const { at, event } = thread.delta("call", offset, text);
	return { at, event: { ...event, itemKind: "toolCall" } as ThreadEvent };
}

test("a command shows how it ended, how long it took and what contained it, and opens to its coloured output", async () => {
	const envelope = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };
	const thread = new AThread().turn();
	const permissions = "Workspace, network off";
	thread.add({ type: "turnStarted", envelope: { ...envelope, permissionMode: "workspaceWrite", permissions } });
	thread.begin({ ...RUN, status: "running" });
	const head = "Exit code 1 after 2.0 s.\nOutput:\n";
	const output = `${head}\x1B[31mfail\x1B[0m 1\n\x1B]0;evil\x07`;
	const failed = { state: "ended", exitCode: 1, outputFrom: head.length } as const;
	thread.item({ ...RUN, status: "completed", output, command: failed });
	await show({ events: thread.events.map((event, index) => ({ ...event, at: index * 2_000 })) });
	const row = page.tab.locator("[data-kind=toolCall]");
	assert.equal(await row.textContent(), "Failed: $ npm testexit 1 · 2.0 sfail 1\n");
	await row.locator(".fold-line").click();
	assert.match((await row.textContent()) ?? "", /Workspace, network off/);
	assert.equal(await row.locator(".output").textContent(), "fail 1\n");
	assert.equal(await row.locator(".ansi-red").textContent(), "fail");
	const command = { exitCode: 0, durationMs: 300, sandbox: "outside the sandbox", containment: "outside" } as const;
	await page.publish(
		thread.next({ type: "itemCompleted", item: { ...RUN, id: ItemId.parse("let-out"), status: "completed", command } }),
	);
	assert.equal(await row.last().textContent(), "Done: $ npm testexit 0 · 0.3 s · outside the sandbox");
});

test("a command that was stopped or is in the background is not called done", async () => {
	const look = async (command: CommandEnd) => {
		await show(new AThread().turn().item({ ...RUN, status: "completed", output: "", command }));
		const row = page.tab.locator("[data-kind=toolCall]");
		return [await row.textContent(), await row.locator("[class^=tool-]").getAttribute("class")];
	};
	assert.deepEqual(await look({ state: "stopped", stoppedBy: "user", timedOut: false }), [
		...["Stopped: $ npm teststopped · 0.0 s", "tool-interrupted"],
	]);
	assert.deepEqual(await look({ state: "background", processId: "p1" }), [
		...["Started: $ npm testin the background · 0.0 s", "tool-completed"],
	]);
});

test("a command names the hosts that were refused and, when nobody was asked, why not", async () => {
	const refused = [{ host: "a.example:443", reason: "It is not on the list." }];
	const said = "a.example:443 was refused: It is not on the list.";
	const thread = new AThread()
		.turn()
		.begin({ ...RUN, status: "running" })
		.add({
			...{ type: "decided", callId: "c", what: "Run npm test", decision: "allow", by: "rule", digest: "d" },
			reason: "A saved rule allows npm test.",
		})
		.item({
			...{ ...RUN, status: "completed", output: `Exit code 0 after 0.1 s.\n${said}\nNo output.` },
			command: { state: "ended", exitCode: 0, durationMs: 100, refusedHosts: refused, notes: [said] },
		});
	await show(thread);
	const row = page.tab.locator("[data-kind=toolCall]");
	assert.equal(await row.textContent(), "Done: $ npm testexit 0 · 0.1 s · 1 site blocked");
	await row.locator(".fold-line").click();
	const whole = (await row.textContent()) ?? "";
	assert.ok(whole.includes("Allowed automatically: A saved rule allows npm test.") && whole.includes(said), whole);
});

test("a running command shows its last lines, and all of them when opened", async () => {
	const thread = new AThread().turn().begin({ ...RUN, status: "running" });
	await show(thread);
	const lines = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
	await page.publish(growth(thread, 0, lines));
	const tail = page.tab.locator(".live-tail");
	assert.equal(await tail.textContent(), "line 25\nline 26\nline 27\nline 28\nline 29");
	await page.tab.locator("[data-kind=toolCall] .fold-line").click();
	await page.publish(growth(thread, lines.length, "\nline 30"));
	assert.equal(await page.tab.locator(".output").textContent(), `${lines}\nline 30`);
	await page.publish(thread.next({ type: "turnCompleted", status: "interrupted" }));
	assert.equal(await tail.count(), 0);
	assert.match(
		(await page.tab.locator("[data-kind=toolCall] .fold-line").textContent()) ?? "",
		/^Stopped: \$ npm teststopped/,
	);
});

test("only the beginning and end of an endless output are drawn, and all of it is copied", async () => {
	const output = `start${"x".repeat(200_000)}end`;
	await show(new AThread().turn().item({ ...RUN, status: "completed", output }));
	await page.tab.locator("[data-kind=toolCall] .fold-line").click();
	const drawn = (await page.tab.locator(".output").textContent()) ?? "";
	assert.ok(drawn.length < 70_000 && drawn.startsWith("start") && drawn.endsWith("end"));
	assert.match(drawn, /140,008 characters not shown/);
	await page.takePosted();
	await page.tab.getByRole("button", { name: "Copy: Output" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "copy", text: output }]);
});

test("a patch counts its lines and opens to a coloured diff; only the newest plan lists its steps", async () => {
	const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n same\n-old\n+new\n+more\n*** End Patch";
	const plan = (status: string) =>
		JSON.stringify({
			steps: [
				{ step: "Read", status: "completed" },
				{ step: "Write", status },
			],
		});
	const thread = new AThread().turn();
	thread.item({
		...CALL,
		name: "apply_patch",
		arguments: JSON.stringify({ patch }),
		status: "completed",
		output: "Done.",
	});
	thread.item({ ...CALL, id: "p1", name: "update_plan", arguments: plan("pending"), status: "completed" });
	thread.item({ ...CALL, id: "p2", name: "update_plan", arguments: plan("in_progress"), status: "completed" });
	await show(thread);
	await page.tab.locator("[data-item=call] .fold-line").click();
	assert.deepEqual(await page.tab.locator("[data-kind=toolCall]").allTextContents(), [
		"Done: Edit a.ts+2 −1@@ same-old+new\n+moreDone.",
		"Plan: 1 of 2 done",
		"Plan: 1 of 2 doneDone: ReadNow: Write",
	]);
	assert.deepEqual(await page.tab.locator(".diff > .diff-added").allTextContents(), ["+new\n+more"]);
});

test("a long patch, of which the page has only the beginning, is read in full when it is opened or searched", async () => {
	const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-old\n+new\n+needle\n*** Delete File: b.ts\n*** End Patch";
	const whole = JSON.stringify({ patch });
	const files = [
		{ path: "a.ts", operation: "update", added: 2, removed: 1 },
		{ path: "b.ts", operation: "delete", added: 0, removed: 0 },
	] as const;
	const cut = { characters: whole.length, files: [...files] };
	const call = { ...CALL, name: "apply_patch", arguments: whole.slice(0, 10), cut, status: "completed" } as const;
	await show(new AThread().turn().item(call));
	const row = page.tab.locator("[data-item=call]");
	assert.deepEqual(await row.allTextContents(), ["Done: Edit a.ts and 1 more file+2 −1"]);
	await page.takePosted();
	await row.locator(".fold-line").click();
	await page.painted();
	assert.deepEqual(await row.allTextContents(), ["Done: Edit a.ts and 1 more file+2 −1Loading…"]);
	assert.deepEqual(await page.takePosted(), [{ type: "readPatch", seq: 2 }]);
	// No answer has arrived: opening it again requests it again.
	for (const _ of ["close", "open"]) await row.locator(".fold-line").click();
	await page.painted();
	assert.deepEqual(await page.takePosted(), [{ type: "readPatch", seq: 2 }]);
	await page.tell({ type: "patch", threadId: THREAD, seq: 2, text: whole });
	assert.deepEqual(await row.allTextContents(), [
		"Done: Edit a.ts and 1 more file+2 −1Edit a.ts +2 −1@@-old+new\n+needleDelete b.ts +0 −0",
	]);
	await show(new AThread().turn().item(call));
	await page.takePosted();
	await page.tab.keyboard.press("Control+f");
	await page.tab.keyboard.type("needle");
	await page.painted();
	assert.equal(await page.tab.locator(".find-count").textContent(), "No results");
	assert.deepEqual(
		(await page.takePosted()).filter(({ type }) => type === "readPatch"),
		[{ type: "readPatch", seq: 2 }],
	);
	await page.tell({ type: "patch", threadId: THREAD, seq: 2, text: whole });
	assert.equal(await page.tab.locator(".find-count").textContent(), "1 of 1");
	await page.tab.keyboard.press("Escape");
});

test("a turn's last line opens what the model was told, as text or as a diff", async () => {
	const fragment = { role: "developer", origin: "host", tokens: 9 } as const;
	const thread = new AThread().turn();
	thread.add({
		type: "contextUpdated",
		fragments: [{ ...fragment, kind: "permissions", summary: "permissions: read-only" }],
	});
	thread
		.end()
		.turn()
		.add({
			type: "contextUpdated",
			fragments: [
				{ ...fragment, kind: "permissions", summary: "permissions: read-only → Workspace, network off" },
				{ ...fragment, kind: "model-switch", summary: "model: a → b" },
			],
		});
	const tokens = { tokens: 1_200, money: 0.02, unpriced: 0, requests: 1, minutes: 0 };
	thread.add({ type: "turnCompleted", status: "completed", spent: { turn: tokens, thread: tokens } });
	await show({ events: thread.events.map((event, index) => ({ ...event, at: index * 2_000 })) });
	const rows = page.tab.locator("[data-kind=turnSummary]");
	assert.deepEqual(await rows.allInnerTexts(), [
		"4.0 s · context sent",
		"4.0 s · 1,200 tokens · $0.02 · context changed",
	]);
	await rows.last().locator(".fold-line").click();
	assert.match(await rows.last().innerText(), /permissions: read-only → Workspace, network off/);
	await rows.last().getByRole("button", { name: "Show what changed" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "showContextSent", turnId: "turn-2" }]);
	const chat = { ...aPanel().chat, showCost: false };
	await page.tell({ type: "panel", panel: aPanel({ chat }) });
	assert.match(await rows.last().locator(".fold-line").innerText(), /^4\.0 s · 1,200 tokens · context changed$/);
});

test("chips change the setting they show, and full access always shows as a warning", async () => {
	await show(new AThread().turn().ask("x").end());
	for (const chip of await page.tab.locator(".chip").all()) await chip.click();
	assert.deepEqual(
		await page.takePosted(),
		(["changeFolder", "changeModel", "changePermissions"] as const).map((command) => ({ type: "run", command })),
	);
	await page.tell({
		type: "panel",
		panel: aPanel({ next: aNextTurn({ mode: "full", name: "Full Access, network on" }) }),
	});
	const chip = page.tab.locator("[data-chip=permissions]");
	assert.deepEqual(
		[await chip.innerText(), await chip.getAttribute("data-level")],
		["Full Access, network on", "warning"],
	);
});

test("a prompt can be copied, forked from and edited in place: nothing is sent before the user sends it", async () => {
	const thread = new AThread().turn().ask("first").answer("one").end().turn().ask("second").answer("two").end();
	await show(thread);
	const prompt = page.tab.locator("[data-kind=userMessage]").nth(1);
	await prompt.hover();
	await prompt.getByRole("button", { name: "Copy" }).click();
	await prompt.getByRole("button", { name: "Fork from here" }).click();
	await page.tab.locator("#composer").fill("half a thought");
	await prompt.hover();
	await prompt.getByRole("button", { name: "Edit and resend" }).click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "copy", text: "second" },
		{ type: "fork", turnId: "turn-2" },
	]);
	const editor = page.tab.getByRole("textbox", { name: "Edit prompt" });
	await page.tab.locator(".prompt-editor textarea:focus").waitFor();
	assert.equal(await editor.inputValue(), "second");
	await editor.press("Escape");
	assert.deepEqual([await editor.count(), await page.takePosted()], [0, []], "Esc leaves everything as it was");
	await page.tab.locator("#composer:focus").waitFor();
	await prompt.hover();
	await prompt.getByRole("button", { name: "Edit and resend" }).click();
	await editor.fill("");
	assert.ok(await page.tab.locator(".prompt-editor").getByRole("button", { name: "Send" }).isDisabled());
	await editor.fill("second, better");
	await editor.press("Shift+Enter");
	await editor.press("Backspace");
	await editor.press("Enter");
	await editor.press("Enter");
	const [sent, ...more] = await page.takePosted();
	assert.ok(sent?.type === "resend");
	assert.deepEqual([sent.turnId, sent.text, more], ["turn-2", "second, better", []]);
	await page.tell({ type: "submitted", id: sent.id, problem: "The host is busy." });
	assert.equal(await page.tab.locator(".prompt-editor [role=alert]").innerText(), "The host is busy.");
	await editor.press("Enter");
	const [again] = await page.takePosted();
	assert.ok(again?.type === "resend");
	await page.publish(thread.next({ type: "rolledBack", turnIds: ["turn-2"] as never }));
	assert.equal(await page.tab.locator("#composer").inputValue(), "half a thought", "the draft stays as it is");
	const known = thread.events.length;
	await page.publish(...thread.turn().ask("second, better").events.slice(known));
	await page.tell({ type: "submitted", id: again.id });
	assert.deepEqual(await page.rowWords(), ["first", "one", "1 turn removed ", "second, better"]);
	await page.tab.locator("#composer").fill("");
});

test("removed turns are one line with Undo; their prompt is in the composer until they are back", async () => {
	const step = { compactionId: "k1" as never, reason: "manual", phase: "standalone", strategy: "structured" } as const;
	const size = { before: 61_300, after: 3_950 };
	const thread = new AThread().turn().ask("first").answer("one").end();
	thread.item(aReport({ ...step, ...size }));
	thread
		.add({ type: "compactionCompleted", ...step, ...size })
		.turn()
		.ask("second")
		.answer("two")
		.end();
	await show(thread);
	const composer = page.tab.locator("#composer");
	const before = await page.rowWords();
	await page.publish(
		thread.next({ type: "restored", files: [{ path: "/a" }], redone: false }),
		thread.next({ type: "rolledBack", turnIds: ["turn-1", "turn-2"] as never, restored: true }),
		thread.next({ type: "compactionUndone", ...step, ...size }),
	);
	assert.deepEqual(await page.rowWords(), ["2 turns removed, 1 file restored Undo"], "and no row is left over");
	assert.equal(await composer.inputValue(), "first");
	await page.tab.getByRole("button", { name: "Undo" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "run", command: "undoRestore" }]);
	await page.publish(thread.next({ type: "rollbackUndone", turnIds: ["turn-1", "turn-2"] as never, gone: [] }));
	assert.deepEqual(await page.rowWords(), before);
	assert.equal(await composer.inputValue(), "", "what nobody changed there is in the thread again");
	await page.publish(thread.next({ type: "rolledBack", turnIds: ["turn-2"] as never }));
	await composer.fill("second, better");
	await page.publish(thread.next({ type: "rollbackUndone", turnIds: ["turn-2"] as never, gone: [] }));
	assert.equal(await composer.inputValue(), "second, better", "what was written stays");
	await composer.fill("");
});

test("a prompt's attachments are requested when it returns to the composer", async () => {
	const attached = [{ kind: "file", path: "a.ts" } as const];
	const asked = { kind: "userMessage", messageKind: "plain", text: "first", attached } as const;
	const thread = new AThread().turn().item(asked).answer("one").end();
	await show(thread);
	const composer = page.tab.locator("#composer");
	const chips = page.tab.locator(".context-chips");
	const gone = { type: "rolledBack", turnIds: ["turn-1"] as never } as const;
	await page.publish(thread.next(gone));
	assert.deepEqual(await page.takePosted(), [{ type: "attachAgain", turnId: "turn-1" }]);
	const chip = { key: "again 1", kind: "file", label: "a.ts", title: "a.ts" } as const;
	await page.tell({ type: "compose", text: "", attach: [chip], how: "write" });
	assert.equal(await chips.getByText("a.ts").count(), 1);
	await page.publish(thread.next({ type: "rollbackUndone", turnIds: ["turn-1"] as never, gone: [] }));
	assert.deepEqual([await composer.inputValue(), await chips.getByText("a.ts").count()], ["", 0]);
});

test("a prompt can be pinned and unpinned, is marked while pinned, and the thread can be compacted up to it", async () => {
	const thread = new AThread().turn().ask("first").answer("one").end().turn().ask("second").end();
	await show(thread);
	const prompt = page.tab.locator("[data-kind=userMessage]").first();
	const pin = prompt.getByRole("button", { name: "Pin prompt" });
	const press = async () => {
		await prompt.hover();
		await pin.click();
		return page.takePosted();
	};
	const marks = () => page.tab.locator(".prompt-pinned").allInnerTexts();
	assert.deepEqual([await pin.getAttribute("aria-pressed"), await marks()], ["false", []]);
	assert.deepEqual(await press(), [{ type: "pin", turnId: "turn-1", pinned: true }]);
	const turnId = "turn-1";
	await page.publish(thread.next({ type: "pinChanged", turnId, text: "first" }));
	assert.deepEqual([await pin.getAttribute("aria-pressed"), await marks()], ["true", ["Pinned"]]);
	assert.deepEqual(await press(), [{ type: "pin", turnId: "turn-1", pinned: false }]);
	await page.publish(thread.next({ type: "pinChanged", turnId }));
	assert.deepEqual([await pin.getAttribute("aria-pressed"), await marks()], ["false", []]);
	await prompt.getByRole("button", { name: "Compact up to here" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "compact", throughTurnId: "turn-1" }]);
});

test("a message to a running turn can be pinned and unpinned like a prompt, and shows that it is", async () => {
	const thread = new AThread().turn().ask("first");
	thread.item({ kind: "userMessage", messageKind: "plain", text: "by the way", steered: true }).end();
	await show(thread);
	const message = page.tab.locator("[data-kind=userMessage]").last();
	const pin = message.getByRole("button", { name: "Pin message" });
	const press = async () => {
		await message.hover();
		await pin.click();
		return page.takePosted();
	};
	const marks = () => page.tab.locator(".prompt-pinned").allInnerTexts();
	const wanted = { type: "pin", turnId: "turn-1", steered: "by the way" };
	assert.deepEqual(await press(), [{ ...wanted, pinned: true }]);
	const itemId = thread.events.flatMap(({ event }) =>
		event.type === "itemCompleted" && event.item.kind === "userMessage" && event.item.steered ? [event.item.id] : [],
	)[0];
	await page.publish(thread.next({ type: "pinChanged", turnId: "turn-1", itemId, text: "by the way" } as never));
	assert.deepEqual([await pin.getAttribute("aria-pressed"), await marks()], ["true", ["Pinned"]]);
	assert.deepEqual(await press(), [{ ...wanted, pinned: false }]);
	await page.publish(thread.next({ type: "rolledBack", turnIds: ["turn-1"] } as never));
	assert.deepEqual(await marks(), []);
});

test("while a turn runs, its thread can be neither rolled back nor forked", async () => {
	await show(new AThread().turn().ask("first").end().turn().ask("second"));
	const prompt = page.tab.locator("[data-kind=userMessage]").first();
	const disabled = (name: string) => prompt.getByRole("button", { name }).isDisabled();
	assert.deepEqual(await Promise.all(["Edit and resend", "Fork from here", "Copy"].map(disabled)), [true, true, false]);
});

test("in a narrow side bar a compaction still says how small the context became", async () => {
	const step = { compactionId: "k1" as never, reason: "manual", phase: "standalone", strategy: "structured" } as const;
	const size = { before: 61_300, after: 3_950 };
	const thread = new AThread().turn().ask("one").end().turn();
	thread
		.add({ type: "compactionStarted", ...step, ...size })
		.add({ type: "compactionCompleted", ...step, ...size })
		.item(aReport())
		.end();
	await show(thread);
	const { width, height } = page.tab.viewportSize() ?? assert.fail();
	await page.tab.setViewportSize({ width: 250, height });
	try {
		const title = page.tab.locator("[data-kind=contextCompaction] .fold-title");
		const cut = await title.evaluate((node) => node.scrollWidth - node.clientWidth);
		assert.ok(cut <= 1, `${cut} pixels are cut off`);
		const ends = await page.tab.locator("[data-kind=contextCompaction]").evaluate((row) => {
			const endOf = (part: string) => row.querySelector(part)?.getBoundingClientRect().right;
			return [endOf(".text-button"), endOf(".compaction")];
		});
		assert.equal(ends[0], ends[1], "Undo is at the end, as in a wide one");
	} finally {
		await page.tab.setViewportSize({ width, height });
	}
});

test("a compaction that did not make the context smaller says so, and promises nothing while it runs", async () => {
	const step = { compactionId: "k1" as never, reason: "manual", phase: "standalone", strategy: "structured" } as const;
	const thread = new AThread().turn().ask("one").end().turn();
	await show(thread);
	await page.publish(thread.next({ type: "compactionStarted", ...step, before: 1_200, after: 9_000 }));
	assert.match(await page.tab.locator(".status").innerText(), /^Compacting\n/);
	const start = thread.events.length;
	const size = { before: 1_200, after: 1_450 };
	thread
		.add({ type: "compactionCompleted", ...step, ...size })
		.item(aReport({ turns: 2, ...size }))
		.end();
	await page.publish(...thread.events.slice(start));
	const title = page.tab.locator("[data-kind=contextCompaction] .fold-title");
	assert.equal(await title.innerText(), "Context not smaller: 2 turns, from 1,200 to 1,450 tokens");
});

test("a compaction shows what it replaced, opens to its summary, and can be undone until the history changes", async () => {
	const step = { compactionId: "k1" as never, reason: "manual", phase: "standalone", strategy: "structured" } as const;
	const size = { before: 61_300, after: 3_950 };
	const thread = new AThread().turn().ask("one").end().turn();
	await show(thread);
	await page.publish(thread.next({ type: "compactionStarted", ...step, ...size }));
	assert.match(await page.tab.locator(".status").innerText(), /^Compacting 61,300 → about 3,950 tokens/);
	const start = thread.events.length;
	thread
		.add({ type: "compactionCompleted", ...step, ...size })
		.item(aReport())
		.end();
	await page.publish(...thread.events.slice(start));
	const card = page.tab.locator("[data-kind=contextCompaction]");
	assert.equal((await card.innerText()).trim(), "Compacted 9 turns: 61,300 → 3,950 tokens\nUndo");
	await card.locator(".fold-line").click();
	assert.match(
		await card.innerText(),
		/1 message from you, 1 quote corrected. No longer sent: 14 tool results..*RESUME_AT/s,
	);
	await card.locator("[data-action=undoCompaction]").click();
	assert.deepEqual(await page.takePosted(), [{ type: "undoCompaction" }]);
	await page.publish(thread.next({ type: "compactionUndone", ...step, ...size }));
	assert.match(await card.innerText(), /^Compaction undone \(back to 61,300 tokens\)/);
	assert.equal(await card.locator("[data-action=undoCompaction]").count(), 0);
	assert.equal(await page.tab.locator("[data-kind=userMessage]").count(), 1, "the transcript above stays");
});

test("slash commands are offered, work while a turn runs, and never reach the model", async () => {
	await show(new AThread().turn().ask("work"));
	const composer = page.tab.locator("#composer");
	await composer.fill("/co");
	assert.deepEqual(await page.tab.locator("#slash-list .mono").allInnerTexts(), ["/compact [focus]", "/context"]);
	await page.tab.locator("#slash-list .list-option").first().click();
	assert.equal(await composer.inputValue(), "/compact ");
	await composer.pressSequentially("the tests");
	await composer.press("Enter");
	assert.equal(await composer.inputValue(), "");
	await composer.fill("/model");
	await composer.press("Enter");
	await composer.fill("/nonsense");
	await composer.press("Enter");
	assert.match((await page.tab.locator(".composer-problem").textContent()) ?? "", /^Unknown command \/nonsense/);
	assert.deepEqual(await page.takePosted(), [
		{ type: "compact", focus: "the tests" },
		{ type: "run", command: "changeModel" },
	]);
	await composer.fill("");
});
