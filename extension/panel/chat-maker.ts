import type * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { readFolders } from "../facts/folders.ts";
import { type ChatParts, createChatPanel } from "./chat-panel.ts";
import { createChatView } from "./chat-view.ts";
import type { ChatMaker } from "./chats.ts";
import { takeHandedThread } from "./handed-thread.ts";
import { createTabView, openThreadTab } from "./thread-tab.ts";
import { mediaFolder } from "./webview-page.ts";

/** Where the workspace remembers the thread of the chat's view: never rename. */
const THREAD_KEY = "vitrine.thread";

/** Makes the chat of the chat's view, and chats in tabs. */
export function createChatMaker(context: vscode.ExtensionContext, parts: ChatParts): ChatMaker {
	const { log, host } = parts;
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
		tab: (threadId, title, choice) => {
			const media = mediaFolder(context.extensionUri);
			const tab = openThreadTab(media, title);
			let shown: ThreadId | undefined = threadId;
			const renaming = host.onThreadEvent((told) => {
				if (told.threadId === shown && told.event.type === "titleChanged") tab.title = told.event.title;
			});
			const chat = createChatPanel(parts, {
				...choice,
				createView: (hooks) => createTabView(tab, media, log, hooks),
				threadId,
				opening: "show",
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
		},
	};
}
