import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import { openPaperPanel } from "../../../security/vscode-stub.ts";

const [A, B] = [ThreadId.parse("a"), ThreadId.parse("b")];

async function aPanel(t: TestContext) {
	const workspace = mkdtempSync(join(tmpdir(), "vitrine-panel-"));
	t.after(() => rmSync(workspace, { recursive: true, force: true }));
	const panel = await openPaperPanel(workspace);
	panel.answers.set("thread/resume", ({ threadId }: { threadId: string }) => ({ threadId, last: 0 }));
	panel.answers.set("thread/read", ({ threadId }: { threadId: string }) => ({ title: threadId, events: [], last: 0 }));
	panel.answers.set("turn/start", { turnId: "turn-1" });
	panel.answers.set("thread/rollback", {});
	await panel.post({ type: "ready" });
	const started = () =>
		panel.requests.flatMap(({ name, params }) => (name === "turn/start" ? [Object(params).threadId] : []));
	/** Holds the answers to a method back until it is released. */
	const hold = (method: string, answer: unknown) => {
		const held = Promise.withResolvers<unknown>();
		panel.answers.set(method, () => held.promise);
		return () => {
			held.resolve(answer);
			// Whatever the page posts is waited for, and what was held with it.
			return panel.post({ type: "focused" });
		};
	};
	return { panel, started, hold };
}

const submit = (id: string, more = {}) => ({ type: "submit", id, text: `Prompt ${id}`, ...more });

for (const [what, message] of Object.entries({
	"a prompt": submit("1", { stop: true }),
	"a command of the user": { type: "runShell", id: "1", command: "ls", stop: true },
	"a prompt that is sent again": { type: "retry", turnId: "turn-0", stop: true },
})) {
	test(`${what} that waits for a turn to stop goes to the thread in which it was sent`, async (t) => {
		const { panel, started, hold } = await aPanel(t);
		const prompt = { kind: "userMessage", id: "i", messageKind: "plain", text: "Again." };
		const event = { type: "itemCompleted", turnId: "turn-0", item: prompt };
		panel.answers.set("thread/read", { title: "", events: [{ seq: 1, at: 1, event }], last: 1 });
		await panel.chats.showThread(A);
		const release = hold("turn/interrupt", {});
		await panel.post(message);
		await panel.chats.showThread(B);
		await release();
		assert.deepEqual(started(), ["a"]);
	});
}

test("a prompt that replaces an earlier one goes to the thread whose turns it replaces", async (t) => {
	const { panel, started, hold } = await aPanel(t);
	const prompt = { kind: "userMessage", id: "i", messageKind: "plain", text: "Before." };
	const events = [
		{ seq: 1, at: 1, event: { type: "turnStarted", turnId: "turn-0" } },
		{ seq: 2, at: 1, event: { type: "itemCompleted", turnId: "turn-0", item: prompt } },
		{ seq: 3, at: 1, event: { type: "turnCompleted", turnId: "turn-0", status: "completed" } },
	];
	panel.answers.set("thread/read", { title: "", events, last: events.length });
	await panel.chats.showThread(A);
	const release = hold("thread/rollback", {});
	await panel.post({ type: "resend", id: "1", turnId: "turn-0", text: "Better." });
	await panel.chats.showThread(B);
	await release();
	assert.deepEqual(started(), ["a"]);
});

for (const [what, message, method] of [
	["Retry", { type: "retry", turnId: "turn-0" }, "turn/start"],
	["Compact", { type: "compact", throughTurnId: "turn-0" }, "thread/compact"],
] as const) {
	test(`two presses on ${what} before the host has answered are one`, async (t) => {
		const { panel, hold } = await aPanel(t);
		const item = { kind: "userMessage", id: "i", messageKind: "plain", text: "Again." };
		const events = [{ seq: 1, at: 1, event: { type: "itemCompleted", turnId: "turn-0", item } }];
		panel.answers.set("thread/read", { title: "", events, last: 1 });
		await panel.chats.showThread(A);
		const release = hold(method, { turnId: "turn-1" });
		await panel.post(message);
		await panel.post(message);
		await release();
		assert.equal(panel.requests.filter(({ name }) => name === method).length, 1);
		await panel.post(message);
		assert.equal(panel.requests.filter(({ name }) => name === method).length, 2);
	});
}

test("two prompts in an empty chat start one thread, even while the host starts", async (t) => {
	const { panel, started, hold } = await aPanel(t);
	const release = hold("thread/start", { threadId: "new" });
	await panel.post(submit("1"));
	await panel.post(submit("2"));
	await release();
	assert.equal(panel.requests.filter(({ name }) => name === "thread/start").length, 1);
	assert.deepEqual([started(), panel.chats.threadId()], [["new", "new"], "new"]);
	await panel.chats.showThread(B);
	const shown = panel.told.flatMap((one) => (one.type === "opening" ? [[one.threadId, one.begun]] : []));
	assert.deepEqual(shown, [
		["new", true],
		["b", undefined],
	]);
});

test("a thread that started after the user opened another one gets its prompt and stays in the background", async (t) => {
	const { panel, started, hold } = await aPanel(t);
	const release = hold("thread/start", { threadId: "new" });
	await panel.post(submit("1"));
	await panel.chats.showThread(B);
	await release();
	assert.deepEqual([started(), panel.chats.threadId()], [["new"], B]);
});

test("a chat that was emptied again begins a thread of its own", async (t) => {
	const { panel, started, hold } = await aPanel(t);
	const release = hold("thread/start", { threadId: "first" });
	await panel.post(submit("1"));
	await panel.chats.showThread(B);
	await panel.chats.showThread(undefined);
	panel.answers.set("thread/start", { threadId: "second" });
	await panel.post(submit("2"));
	await release();
	assert.deepEqual([started(), panel.chats.threadId()], [["second", "first"], "second"]);
});

test("after a thread could not begin, the next prompt tries again", async (t) => {
	const { panel, started } = await aPanel(t);
	panel.answers.set("thread/start", () => Promise.reject(new Error("The disk is full.")));
	await panel.post(submit("1"));
	panel.answers.set("thread/start", { threadId: "new" });
	await panel.post(submit("2"));
	assert.deepEqual(started(), ["new"]);
	assert.match(JSON.stringify(panel.told), /"id":"1","problem":".*The disk is full/);
});

test("a command that asked the user first sends to the chat where it began, even if that was empty", async (t) => {
	const { panel, started } = await aPanel(t);
	panel.answers.set("thread/start", { threadId: "new" });
	const empty = panel.chats.here();
	await panel.chats.showThread(B);
	await panel.chats.start("Reach it.", { to: empty });
	assert.deepEqual([started(), panel.chats.threadId()], [["new"], B]);
});

test("a thread that turns out to be gone does not close the one that was opened meanwhile", async (t) => {
	const { panel } = await aPanel(t);
	const gone = Object.assign(new Error("Thread a was not found."), { data: { kind: "thread-not-found" } });
	const held = Promise.withResolvers<never>();
	panel.answers.set("thread/resume", () => held.promise);
	const opening = panel.chats.showThread(A);
	await panel.post({ type: "focused" });
	panel.answers.set("thread/resume", { threadId: "b", last: 0 });
	await panel.chats.showThread(B);
	held.reject(gone);
	await opening;
	assert.deepEqual([panel.chats.threadId(), panel.problems], [B, []]);
	panel.answers.set("thread/resume", () => Promise.reject(gone));
	await panel.chats.showThread(A);
	assert.deepEqual([panel.chats.threadId(), panel.problems.length], [undefined, 1]);
});

test("the page, even a new one, knows which thread is coming before it has loaded", async (t) => {
	const { panel, hold } = await aPanel(t);
	let seen = 0;
	const takeKnown = () => {
		const fresh = panel.told.slice(seen);
		seen = panel.told.length;
		return fresh.flatMap((one) => ("threadId" in one ? [`${one.type} ${one.threadId}`] : []));
	};
	takeKnown();
	const release = hold("thread/resume", { threadId: "a", last: 0 });
	const opening = panel.chats.showThread(A);
	assert.deepEqual(takeKnown(), ["opening a"]);
	await release();
	await opening;
	assert.deepEqual(takeKnown(), ["thread a", "events a", "agentsWaiting a"]);
	const again = hold("thread/resume", { threadId: "a", last: 0 });
	await panel.post({ type: "ready" });
	assert.deepEqual(takeKnown(), ["opening a"]);
	await again();
	assert.deepEqual(takeKnown(), ["thread a", "events a", "agentsWaiting a"]);
});

test("a thread that failed to load still belongs to the page, which gets its events", async (t) => {
	const { panel } = await aPanel(t);
	await panel.chats.showThread(A);
	panel.answers.set("thread/resume", () => Promise.reject(new Error("The disk is gone.")));
	await panel.chats.showThread(B);
	assert.deepEqual([panel.chats.threadId(), panel.problems.length], [B, 1]);
	panel.tell({ threadId: B, seq: 7, at: 1, event: { type: "titleChanged", title: "b" } });
	const about = panel.told.flatMap((one) => (one.type === "events" || one.type === "opening" ? [one.threadId] : []));
	assert.deepEqual(about.slice(-2), ["b", "b"]);
});

test("drafts move with the chat into a tab and back, and a new page does not overwrite them", async (t) => {
	const { panel } = await aPanel(t);
	const restored = (told: readonly { readonly type: string }[]) => told.filter(({ type }) => type === "restore");
	await panel.post({ type: "keep", state: { drafts: { new: "a" } }, images: { new: [] } });
	await panel.post({ type: "keep", state: { drafts: { new: "ab" } } });
	await panel.chats.moveTo("tab");
	const [tab] = panel.tabs;
	assert.ok(tab !== undefined);
	await tab.post({ type: "keep", state: {} });
	await tab.post({ type: "ready" });
	assert.deepEqual(restored(tab.told), [{ type: "restore", state: { drafts: { new: "ab" } }, images: { new: [] } }]);
	await tab.post({ type: "keep", state: { drafts: { new: "abc" } } });
	tab.close();
	await panel.post({ type: "keep", state: { drafts: { new: "a" } } });
	await panel.post({ type: "ready" });
	assert.deepEqual(restored(panel.told), [{ type: "restore", state: { drafts: { new: "abc" } }, images: { new: [] } }]);
});

test("what a page sends goes to the thread that it shows, even if another one is open by the time it arrives", async (t) => {
	const { panel, started } = await aPanel(t);
	panel.answers.set("thread/start", { threadId: "new" });
	panel.answers.set("turn/interrupt", {});
	await panel.chats.showThread(B);
	await panel.post(submit("1", { threadId: "a", stop: true }));
	await panel.post({ type: "runShell", id: "2", command: "ls", threadId: "a" });
	await panel.post(submit("3", { threadId: null }));
	await panel.post(submit("4", { threadId: null }));
	const stopped = panel.requests.flatMap(({ name, params }) => (name === "turn/interrupt" ? [params] : []));
	assert.deepEqual([started(), stopped, panel.chats.threadId()], [["a", "a", "new", "new"], [{ threadId: "a" }], B]);
});

test("a page that does not yet know that its thread has started does not start a second one", async (t) => {
	const { panel, started } = await aPanel(t);
	panel.answers.set("thread/start", { threadId: "new" });
	await panel.post(submit("1", { threadId: null }));
	await panel.post(submit("2", { threadId: null }));
	assert.deepEqual([started(), panel.chats.threadId()], [["new", "new"], "new"]);
});

test("the focus of a compaction that is refused is in the prompt again", async (t) => {
	const { panel } = await aPanel(t);
	await panel.chats.showThread(A);
	panel.answers.set("thread/compact", () => Promise.reject(new Error("Nothing was said since.")));
	await panel.post({ type: "compact", focus: "the parser" });
	await panel.post({ type: "compact" });
	const told = panel.told.filter(({ type }) => type === "compose" || type === "problem");
	const problem = { type: "problem", message: "Nothing was said since." };
	assert.deepEqual(told, [
		{ type: "compose", text: "/compact the parser", attach: [], how: "write" },
		problem,
		problem,
	]);
});
