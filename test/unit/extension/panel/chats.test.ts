import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ThreadId, TurnId } from "../../../../agent-host/protocol/ids.ts";
import { createActiveChat } from "../../../../extension/panel/active-chat.ts";
import type { ToWebview } from "../../../../media/wire.ts";
import { openPaperPanel } from "../../../security/vscode-stub.ts";

const [A, B] = [ThreadId.parse("a"), ThreadId.parse("b")];

/** The threads that a page was told something of. */
function threadsIn(told: readonly ToWebview[]): readonly (string | null)[] {
	return [...new Set(told.flatMap((message) => ("threadId" in message ? [message.threadId] : [])))];
}

test("two threads are in view at once, in the view and in a tab: each page shows only its own and acts only on it", async (t) => {
	const workspace = mkdtempSync(join(tmpdir(), "vitrine-chats-"));
	t.after(() => rmSync(workspace, { recursive: true, force: true }));
	const panel = await openPaperPanel(workspace);
	panel.answers.set("thread/resume", ({ threadId }: { threadId: string }) => ({ threadId, last: 0 }));
	panel.answers.set("thread/read", ({ threadId }: { threadId: string }) => ({ title: threadId, events: [], last: 0 }));
	panel.answers.set("turn/start", ({ threadId }: { threadId: string }) => ({ turnId: `turn-${threadId}` }));
	panel.answers.set("turn/interrupt", {});
	await panel.post({ type: "ready" });
	await panel.chats.showThread(A);
	panel.chats.openInTab(B, "Second");
	const [tab] = panel.tabs;
	assert.ok(tab !== undefined);
	await tab.post({ type: "ready" });

	for (const threadId of [A, B, ThreadId.parse("elsewhere")]) {
		const event = { type: "turnStarted", turnId: TurnId.parse(`turn-${threadId}`) } as never;
		panel.tell({ threadId, seq: 1, at: 1, event });
	}
	assert.deepEqual(threadsIn(panel.told), [null, "a"]);
	assert.deepEqual(threadsIn(tab.told), ["b"]);
	assert.deepEqual(panel.chats.threadsInView(), [A, B]);

	const submit = (id: string) => ({ type: "submit", id, text: `Prompt ${id}`, attach: [], images: [] });
	await tab.post(submit("1"));
	await panel.post(submit("2"));
	const started = panel.requests.filter(({ name }) => name === "turn/start").map(({ params }) => params);
	assert.deepEqual(
		started.map((params) => Object(params).threadId),
		["b", "a"],
	);
	await tab.post({ type: "stop" });
	assert.deepEqual(panel.requests.at(-1), { name: "turn/interrupt", params: { threadId: "b" } });

	const changes: (ThreadId | undefined)[] = [];
	panel.chats.onDidChangeThread((threadId) => changes.push(threadId));
	await panel.post({ type: "focused" });
	assert.equal(panel.chats.threadId(), A, "commands are about the chat that the user is in");
	await tab.post({ type: "focused" });
	assert.equal(panel.chats.threadId(), B);
	await panel.chats.showThread(B);
	assert.equal(panel.tabs.length, 1, "a thread that has a tab is shown there");
	tab.close();
	assert.equal(panel.chats.threadId(), A);
	assert.deepEqual(changes, [A, B, A]);
	await panel.chats.leave(A);
	assert.equal(panel.chats.threadId(), undefined);
});

test("a restored tab shows its thread again, once and without taking focus; one without a thread closes", async (t) => {
	const workspace = mkdtempSync(join(tmpdir(), "vitrine-chats-"));
	t.after(() => rmSync(workspace, { recursive: true, force: true }));
	const panel = await openPaperPanel(workspace);
	panel.answers.set("thread/resume", ({ threadId }: { threadId: string }) => ({ threadId, last: 0 }));
	panel.answers.set("thread/read", ({ threadId }: { threadId: string }) => ({ title: threadId, events: [], last: 0 }));
	await panel.chats.showThread(A);
	const tab = await panel.restore("vitrine.threadTab", { threadId: B, drafts: {} });
	assert.equal(panel.chats.threadId(), A, "commands stay with the chat that the user is in");
	await tab.post({ type: "ready" });
	assert.deepEqual([threadsIn(tab.told), panel.chats.threadsInView()], [["b"], [A, B]]);
	panel.chats.openInTab(B, "Second");
	assert.deepEqual([panel.tabs.length, panel.chats.threadId()], [1, B]);
	tab.close();
	assert.deepEqual(panel.chats.threadsInView(), [A]);

	for (const saved of [undefined, null, {}, { threadId: 7 }]) {
		const empty = await panel.restore("vitrine.threadTab", saved);
		assert.equal(empty.isOpen(), false, JSON.stringify(saved));
	}
});

test("the active chat is the one the user was in last; one that is closed or unknown is never active", () => {
	let changes = 0;
	const chats = createActiveChat("main", () => {
		changes += 1;
	});
	chats.activate("unknown");
	chats.add("tab");
	assert.deepEqual([chats.current(), chats.all()], ["main", ["main", "tab"]]);
	chats.activate("tab");
	chats.activate("tab");
	assert.equal(chats.current(), "tab");
	chats.remove("tab");
	chats.activate("tab");
	assert.deepEqual([chats.current(), chats.all(), changes], ["main", ["main"], 2]);
});
