import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import type { ToWebview } from "../../media/wire.ts";
import { aPanel } from "../page/a-panel.ts";
import { aReport } from "../page/a-report.ts";
import { AThread } from "../page/a-thread.ts";
import { aCommand, anApproval, aPatch } from "../page/an-approval.ts";
import { type ChatPage, THREAD } from "../page/chat-page.ts";

/** Places of a thread where a text is drawn, each once for every text. */
const THREAD_PLACES = [
	"prompt",
	"fragment",
	"fragment-kind",
	"reasoning",
	"tool-title",
	"tool-arguments",
	"tool-output",
	"tool-name",
	"notice",
	"warning",
	"context",
	"context-kind",
	"context-origin",
	"answer",
	"cut-answer",
	"error",
	"interruption",
	"command",
	"command-cwd",
	"command-output",
	"patch-file",
	"patch-line",
	"patch-result",
	"plan-step",
	"compaction-summary",
	"compaction-dropped",
	"change",
	"asked-command",
	"asked-reason",
	"asked-why",
	"asked-sandbox",
	"asked-variable",
	"asked-file",
	"asked-target",
	"asked-diff",
	"answer-note",
] as const;

/** Places around the thread, each once for all texts. */
const PANEL_PLACES = ["folder", "model", "problem", "title", "host-reason", "folder-problem"] as const;

export const PLACES = [...THREAD_PLACES, ...PANEL_PLACES] as const;
export type Place = (typeof PLACES)[number];

/** Gives the texts for a place; as many for each. */
export type Texts = (place: Place) => readonly string[];

/** What the extension tells a page that has just been loaded, with every text in every place. */
export function messagesFor(texts: Texts): readonly ToWebview[] {
	const all = (place: Place) => texts(place).join("\n");
	const thread = new AThread();
	for (const index of texts("prompt").keys()) addTurns(thread, (place) => texts(place)[index] ?? "");
	const model = { provider: "compatible", label: all("model"), incomplete: true } as const;
	const panel = aPanel({ host: { state: "stopped", reason: all("host-reason") }, trusted: false, model });
	return [
		{ type: "panel", panel: { ...panel, folders: [all("folder")], folderProblem: all("folder-problem") } },
		{ type: "thread", threadId: THREAD, title: all("title") },
		{ type: "events", threadId: THREAD, events: thread.events, loading: false },
		{ type: "problem", message: all("problem"), action: "showLog" },
	];
}

function addTurns(thread: AThread, text: (place: Place) => string): void {
	const call = { kind: "toolCall", callId: "c", status: "failed" } as const;
	const [title, json, output] = [text("tool-title"), text("tool-arguments"), text("tool-output")];
	thread.turn().ask(text("prompt"));
	thread.item({ kind: "userMessage", messageKind: text("fragment-kind"), text: text("fragment") });
	thread.item({ kind: "reasoning", text: text("reasoning") });
	thread.item({ ...call, name: "t", title, arguments: json, output });
	thread.item({ ...call, name: text("tool-name"), title: "", arguments: "{}" });
	thread.item({ kind: "notice", level: "info", text: text("notice") });
	thread.add({ type: "warning", code: "w", message: text("warning") });
	const fragment = { kind: text("context-kind"), origin: text("context-origin"), summary: text("context") };
	thread.add({ type: "contextUpdated", fragments: [{ ...fragment, role: "user", tokens: 1 }] });
	addCards(thread, text);
	thread.answer(text("answer"));
	thread.item({ kind: "agentMessage", text: text("cut-answer"), cut: true });
	thread.add({ type: "turnCompleted", status: "failed", error: { code: "server", message: text("error") } });
	const lost = { code: "host-ended", message: text("interruption") } as const;
	thread.turn().add({ type: "turnCompleted", status: "interrupted", error: lost });
}

function addCards(thread: AThread, text: (place: Place) => string): void {
	const call = { kind: "toolCall", callId: "c", title: "", status: "completed" } as const;
	const command = JSON.stringify({ command: text("command"), cwd: text("command-cwd") });
	thread.item({ ...call, name: "run_command", arguments: command, output: text("command-output") });
	const [file, line] = [text("patch-file").replaceAll("\n", " "), text("patch-line")];
	const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n+${line}\n*** End Patch`;
	thread.item({ ...call, name: "apply_patch", arguments: JSON.stringify({ patch }), output: text("patch-result") });
	const plan = JSON.stringify({ steps: [{ text: text("plan-step"), status: "done" }] });
	thread.item({ ...call, name: "update_plan", arguments: plan });
	const dropped = [{ kind: text("compaction-dropped"), count: 1, tokens: 1 }];
	thread.item(aReport({ summary: text("compaction-summary"), dropped }));
	const fragment = { kind: "k", role: "user", origin: "host", summary: text("change"), tokens: 1 } as const;
	thread.add({ type: "contextUpdated", fragments: [fragment] });
	addApprovals(thread, text);
}

let asked = 0;

/** Approvals that were answered: those that wait are gone when the turn ends, and hold the same texts. */
function addApprovals(thread: AThread, text: (place: Place) => string): void {
	const path = text("asked-file");
	const file = { path, resolved: text("asked-target"), operation: "update", added: 1, removed: 0 } as const;
	for (const subject of [
		aCommand({
			argv: [text("asked-command")],
			why: text("asked-why"),
			sandbox: text("asked-sandbox"),
			environment: [text("asked-variable")],
		}),
		aPatch({ files: [file], diff: `+${text("asked-diff")}` }),
	]) {
		asked++;
		const approvalId = `asked-${asked}`;
		const request = anApproval({ approvalId, reason: text("asked-reason"), subject });
		thread.add({ type: "approvalRequested", request });
		const note = text("answer-note");
		thread.add({ type: "approvalResolved", approvalId, decision: "deny", by: "user", note });
	}
}

/** As many texts as fit into the page's height, with all folds open. */
export const BATCH = 35;

export interface Batch {
	readonly from: number;
	readonly texts: Texts;
}

export function batchesOf(texts: Texts, count: number): readonly Batch[] {
	const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => batch * BATCH);
	return starts.map((from) => ({ from, texts: (place) => texts(place).slice(from, from + BATCH) }));
}

export async function openFolds(page: ChatPage): Promise<void> {
	const closed = page.tab.locator('[aria-expanded="false"]');
	// A fold may hold another one.
	for (let left = await closed.count(); left > 0; left = await closed.count()) {
		await closed.evaluateAll((folds) => {
			for (const fold of folds) if (fold instanceof HTMLElement) fold.click();
		});
		await page.painted();
	}
}

/** What a reader can read, and the name of the thread, which only a screen reader is told. */
export function readText(page: ChatPage): Promise<string> {
	return page.tab.evaluate(() => {
		const title = document.getElementById("transcript")?.getAttribute("aria-label");
		return `${document.body.innerText}\n${title}`;
	});
}

/** Begins one item for each text and hands over its characters one by one, all items in step. */
export async function streamTexts(
	page: ChatPage,
	itemKind: "agentMessage" | "reasoning",
	texts: readonly string[],
): Promise<void> {
	const thread = new AThread().turn();
	for (const index of texts.keys()) thread.begin({ kind: itemKind, id: `m${index}`, text: "" });
	await page.showThread(thread.events);
	await openFolds(page);
	const longest = Math.max(...texts.map(({ length }) => length));
	const messages = Array.from({ length: longest }, (_, offset): ToWebview => {
		const events = texts.flatMap((text, index) => deltaOf(thread, { itemKind, id: `m${index}`, text, offset }));
		return { type: "events", threadId: THREAD, events, loading: false };
	});
	// Inside of the page: a round trip to it for each character would take longer than all the drawing.
	await page.tab.evaluate(async (json) => {
		for (const data of JSON.parse(json)) {
			window.dispatchEvent(new MessageEvent("message", { data }));
			// What was asked for before comes before: by then it is drawn.
			await window.stub.nextFrame();
		}
		await window.stub.settle();
	}, JSON.stringify(messages));
}

interface Streamed {
	readonly itemKind: "agentMessage" | "reasoning";
	readonly id: string;
	readonly text: string;
	readonly offset: number;
}

function deltaOf(thread: AThread, { itemKind, id, text, offset }: Streamed): PublishedEvent[] {
	if (offset >= text.length) return [];
	const { at, event } = thread.delta(id, offset, text.charAt(offset));
	return event.type === "itemDelta" ? [{ at, event: { ...event, itemKind } }] : [];
}
