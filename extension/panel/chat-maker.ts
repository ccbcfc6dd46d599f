import type * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { readFolders } from "../facts/folders.ts";
import { type ChatPanel, type ChatParts, type ChatPlace, createChatPanel } from "./chat-panel.ts";
import { createChatView } from "./chat-view.ts";
import type { ChatMaker, TabChoice } from "./chats.ts";
import { takeHandedThread } from "./handed-thread.ts";
import { createTabView, openThreadTab, restoreThreadTabs } from "./thread-tab.ts";
import { mediaFolder } from "./webview-page.ts";

/** Where the workspace remembers the thread of the chat's view: never rename. */
const THREAD_KEY = "vitrine.thread";

/** Makes the chat of the chat's view, and chats in tabs. */
export function createChatMaker(context: vscode.ExtensionContext, parts: ChatParts): ChatMaker {
	const { log, host } = parts;
	const media = mediaFolder(context.extensionUri);
	const fillTab = (
		tab: vscode.WebviewPanel,
		threadId: ThreadId,
		opening: ChatPlace["opening"],
		choice: TabChoice,
	): ChatPanel => {
		let shown: ThreadId | undefined = threadId;
		const renaming = host.onThreadEvent((told) => {
			if (told.threadId === shown && told.event.type === "titleChanged") tab.title = told.event.title;
		});
		const chat = createChatPanel(parts, {
			...choice,
			createView: (hooks) => createTabView(tab, media, log, hooks),
			threadId,
			opening,
			keep: (next) => {
				shown = next;
			},
		});
		tab.onDidChangeViewState(() => {
			if (tab.active) choice.activated();
		});
		tab.onDidDispose(() => {
			renaming.dispose();
			choice.closed();
		});
		return chat;
	};
	return {
		main: (choice) => {
			const handed = takeHandedThread(context.globalState, readFolders().paths);
			return createChatPanel(parts, {
				...choice,
				createView: (hooks) => createChatView(context.extensionUri, log, { ...hooks, activated: choice.activated }),
				threadId: handed ?? ThreadId.safeParse(context.workspaceState.get(THREAD_KEY)).data,
				opening: handed === undefined ? "wait" : "show",
				keep: (threadId) => void context.workspaceState.update(THREAD_KEY, threadId),
			});
		},
		tab: (threadId, title, choice) => fillTab(openThreadTab(media, title), threadId, "show", choice),
		restoreTabs: (add) =>
			// The editor has shown it already, and perhaps not as the one that the user is in.
			restoreThreadTabs((tab, threadId) => add((choice) => fillTab(tab, threadId, "wait", choice), tab.active)),
	};
}
