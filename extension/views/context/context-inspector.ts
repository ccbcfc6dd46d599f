import * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import { threadPin } from "../../../agent-host/protocol/thread/compaction.ts";
import { contextInspect, threadMute } from "../../../agent-host/protocol/thread/context.ts";
import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";
import { FromInspector, type ToInspector } from "../../../media/inspector-wire.ts";
import { showError } from "../../facts/show-message.ts";
import { describeFailure } from "../../host/call.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { ChatPanel } from "../../panel/chat-panel.ts";
import { toInspectorState } from "../../panel/inspector-state.ts";
import { mediaFolder, pageFor } from "../../panel/webview-page.ts";

export const INSPECTOR_VIEW = "vitrine.context";

/** Longest text of one item that is sent to the page; the rest is counted. */
const MAX_ITEM_CHARS = 200_000;

const REFRESH_ON: ReadonlySet<string> = new Set([
	...[
		"turnStarted",
		"turnCompleted",
		"settingsChanged",
		"rolledBack",
		"rollbackUndone",
		"reviewed",
		"restored",
		"pinChanged",
		"muteChanged",
		"compactionCompleted",
		"compactionUndone",
	],
]);

/** The open thread's next request, item by item, in the editor area. */
export interface ContextInspector extends vscode.Disposable {
	readonly show: () => Promise<void>;
}

interface Inspected {
	readonly revision: number;
	readonly threadId: ThreadId;
	readonly result: ResultOf<typeof contextInspect>;
}

type Message<T extends FromInspector["type"]> = Extract<FromInspector, { readonly type: T }>;

function changesRequest(event: ThreadEvent): boolean {
	return REFRESH_ON.has(event.type) || (event.type === "itemCompleted" && event.item.kind === "userMessage");
}

function showFailure(error: unknown): void {
	void showError(t("Vitrine: {0}", describeFailure(error)));
}

export function createContextInspector(options: {
	readonly context: vscode.ExtensionContext;
	readonly host: HostClient;
	readonly log: vscode.LogOutputChannel;
	readonly panel: Pick<ChatPanel, "threadId" | "onDidChangeThread">;
	/** Compares a sent request, or the next one, with the one before it. */
	readonly compare: (threadId: ThreadId, sent: number | undefined) => Promise<void>;
	/** Shows the same as the provider gets it. */
	readonly showRaw: (threadId: ThreadId, sent: number | undefined) => Promise<void>;
}): ContextInspector {
	const { context, host, log, panel } = options;
	const media = mediaFolder(context.extensionUri);
	let tab: vscode.WebviewPanel | undefined;
	/** What the page shows. Another thread may be open by now. */
	let inspected: Inspected | undefined;
	let revision = 0;
	/** The sent request that is shown; undefined for the next one. */
	let sent: number | undefined;
	const post = (message: ToInspector): void => void tab?.webview.postMessage(message);
	const refresh = async (): Promise<void> => {
		if (tab === undefined || !tab.visible) return;
		revision += 1;
		const mine = revision;
		const show = (message: ToInspector, next?: Inspected): void => {
			if (mine !== revision) return;
			inspected = next;
			post(message);
		};
		const threadId = panel.threadId();
		if (threadId === undefined) return show({ type: "empty", reason: t("No thread yet. Send a prompt first.") });
		try {
			const result = await host.request(contextInspect, { threadId, ...(sent === undefined ? {} : { request: sent }) });
			show({ type: "context", context: toInspectorState(result, mine) }, { revision: mine, threadId, result });
		} catch (error) {
			show({ type: "empty", reason: describeFailure(error) });
		}
	};
	/** What the user looked at when pressing something. */
	const findShown = (of: number): Inspected | undefined => (inspected?.revision === of ? inspected : undefined);
	const pin = async ({ revision: of, index, pinned }: Message<"pin">): Promise<void> => {
		const shown = findShown(of);
		const item = shown?.result.items[index];
		if (shown === undefined || item?.turnId === undefined || item.pinned === undefined) return;
		const { turnId, text: steered } = item;
		const { threadId } = shown;
		await host.request(threadPin, { threadId, turnId, ...(item.steered === true ? { steered } : {}), pinned });
	};
	const mute = async ({ revision: of, index, muted }: Message<"mute">): Promise<void> => {
		const shown = findShown(of);
		const place = shown?.result.items[index]?.mutable;
		if (shown === undefined || place === undefined) return;
		await host.request(threadMute, { threadId: shown.threadId, at: place.at, chars: place.chars, muted });
	};
	/** The host's own list is sent back, but for the one that the user pressed. */
	const switchSource = async ({ revision: of, index, isOff }: Message<"switchSource">): Promise<void> => {
		const shown = findShown(of);
		const sources = shown?.result.sources ?? [];
		if (shown === undefined || sources[index] === undefined) return;
		const off = sources
			.filter((source, at) => (at === index ? isOff : source.isOff))
			.map(({ kind, name }) => ({ kind, name }));
		await host.request(threadSettings, { threadId: shown.threadId, settings: { sources: { off } } });
	};
	/** What can be opened beside the request that is shown. */
	const openWith = async (open: typeof options.compare): Promise<void> => {
		if (inspected !== undefined) await open(inspected.threadId, inspected.result.request?.number);
	};
	const receive = async (message: FromInspector): Promise<void> => {
		switch (message.type) {
			case "ready":
			case "refresh":
				return refresh();
			case "showRequest":
				sent = message.request;
				return refresh();
			case "compare":
				return openWith(options.compare);
			case "showRaw":
				return openWith(options.showRaw);
			case "readItem": {
				const { text, index } = findShown(message.revision)?.result.items[message.index] ?? {};
				if (text === undefined || index === undefined) return;
				const left = Math.max(0, text.length - MAX_ITEM_CHARS);
				return post({ type: "itemText", revision: message.revision, index, text: text.slice(0, MAX_ITEM_CHARS), left });
			}
			case "pin":
				return pin(message).catch(showFailure);
			case "switchSource":
				return switchSource(message).catch(showFailure);
			case "mute":
				return mute(message).catch(showFailure);
		}
	};
	const open = (): vscode.WebviewPanel => {
		const opened = vscode.window.createWebviewPanel(INSPECTOR_VIEW, t("Context"), vscode.ViewColumn.Active, {
			enableScripts: true,
			localResourceRoots: [media],
		});
		opened.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "icons", "vitrine.svg");
		opened.webview.onDidReceiveMessage((raw: unknown) => {
			const message = FromInspector.safeParse(raw);
			if (!message.success) return log.warn("The inspector's page sent an unknown message; ignored.");
			receive(message.data).catch((error: unknown) => log.error(`${message.data.type}: ${describeFailure(error)}`));
		});
		opened.onDidDispose(() => {
			tab = undefined;
			inspected = undefined;
		});
		opened.webview.html = pageFor(opened.webview, media, {
			view: INSPECTOR_VIEW,
			title: t("Context"),
			bundle: "inspector",
		});
		return opened;
	};
	const disposables = [
		panel.onDidChangeThread(() => {
			sent = undefined;
			void refresh();
		}),
		host.onThreadEvent(({ threadId, event }) => {
			if (threadId === panel.threadId() && changesRequest(event)) void refresh();
		}),
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration("vitrine")) void refresh();
		}),
		vscode.workspace.onDidGrantWorkspaceTrust(() => void refresh()),
	];
	return {
		show: async () => {
			if (tab === undefined) tab = open();
			else tab.reveal();
		},
		dispose: () => vscode.Disposable.from(...disposables, ...(tab ? [tab] : [])).dispose(),
	};
}
