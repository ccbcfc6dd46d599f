import assert from "node:assert/strict";
import { test } from "node:test";
import type { createContextInspector } from "../../../../extension/views/context/context-inspector.ts";
import type { ToInspector } from "../../../../media/inspector-wire.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

/** The inspector in an editor of paper; the host answers when the test says so. */
async function anInspector(open: string | undefined) {
	const [posted, threads] = [new PaperEmitter(), new PaperEmitter()];
	const onNothing = () => ({ dispose: () => undefined });
	const told: ToInspector[] = [];
	const asked: { readonly name: string; readonly params: Record<string, unknown> }[] = [];
	const answers: ((result: object) => void)[] = [];
	const webview = {
		asWebviewUri: String,
		onDidReceiveMessage: posted.event,
		postMessage: async (message: ToInspector) => told.push(message),
	};
	const vscode = {
		EventEmitter: PaperEmitter,
		Uri: { joinPath: (...parts: readonly unknown[]) => parts.join("/") },
		ViewColumn: { Active: -1 },
		l10n: { bundle: undefined },
		env: { language: "en" },
		window: { createWebviewPanel: () => ({ webview, visible: true, onDidDispose: onNothing }) },
		workspace: { onDidChangeConfiguration: onNothing, onDidGrantWorkspaceTrust: onNothing },
	};
	const views = await loadOverPaper<{ readonly createContextInspector: typeof createContextInspector }>(
		["extension/views/context/context-inspector.ts"],
		vscode,
	);
	// The inspector uses a handful of these objects' members, all of which are here.
	const inspector = views.createContextInspector({
		context: { extensionUri: "extension" },
		host: {
			onThreadEvent: onNothing,
			request: ({ name }: { readonly name: string }, params: Record<string, unknown>) => {
				asked.push({ name, params });
				return new Promise((resolve) => answers.push(resolve));
			},
		},
		log: { warn: assert.fail, error: assert.fail },
		panel: { threadId: () => open, onDidChangeThread: threads.event },
		compare: async (threadId: string) => void asked.push({ name: "compare", params: { threadId } }),
		showRaw: assert.fail,
	} as unknown as Parameters<typeof createContextInspector>[0]);
	await inspector.show();
	const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
	return {
		told,
		asked,
		async post(message: object) {
			posted.fire(message);
			await settled();
		},
		async openThread(threadId: string | undefined) {
			open = threadId;
			threads.fire(threadId);
			await settled();
		},
		/** Answers what was asked first and not yet answered. */
		async answer(text: string) {
			const item = { index: 0, kind: "user", role: "user", tokens: 1, text, mutable: { at: 7, chars: 3 } };
			const sources = [{ kind: "server", name: text, isOff: false }];
			answers.shift()?.({ items: [{ ...item, pinned: false, turnId: "turn-1" }], policy: [], sources });
			await settled();
		},
	};
}

test("a late answer about a thread that was left is not shown in another thread or an empty chat", async () => {
	const { told, post, openThread, answer } = await anInspector("a");
	await post({ type: "ready" });
	await openThread("b");
	await answer("of a");
	assert.equal(told.length, 0);
	await openThread(undefined);
	await answer("of b");
	assert.deepEqual(
		told.map((message) => (message.type === "empty" ? message.reason : message.type)),
		["No thread yet. Send a prompt first."],
	);
});

test("a button beside an item acts on the shown thread, even if another one is open by then", async () => {
	const { told, asked, post, openThread, answer } = await anInspector("a");
	await post({ type: "ready" });
	await answer("of a");
	const [shown] = told;
	const { revision } = shown?.type === "context" ? shown.context : assert.fail("Nothing is shown.");
	await openThread("b");
	asked.length = 0;
	await post({ type: "mute", revision, index: 0, muted: true });
	await post({ type: "pin", revision, index: 0, pinned: true });
	await post({ type: "switchSource", revision, index: 0, isOff: true });
	await post({ type: "compare" });
	assert.deepEqual(
		asked.map(({ name, params }) => [name, params.threadId]),
		[
			["thread/mute", "a"],
			["thread/pin", "a"],
			["thread/settings", "a"],
			["compare", "a"],
		],
	);
	await openThread(undefined);
	asked.length = 0;
	await post({ type: "compare" });
	await post({ type: "mute", revision, index: 0, muted: true });
	assert.deepEqual(asked, []);
});
