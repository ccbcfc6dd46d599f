import * as vscode from "vscode";
import * as z from "zod";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { fillWebview, KEPT_LOADED } from "./chat-places.ts";
import type { ChatView } from "./chat-view.ts";
import { createPageLink, type PageHooks } from "./page-link.ts";

/** The type of tabs with a thread of their own. Stored in the editor's layout: never rename. */
const THREAD_TAB = "vitrine.threadTab";

/** What the page of a tab has saved, as far as a restored tab needs it. */
const SavedTab = z.object({ threadId: ThreadId });

/** A tab beside the active editor for one thread, besides the chat's own place. */
export function openThreadTab(media: vscode.Uri, title: string): vscode.WebviewPanel {
	const tab = vscode.window.createWebviewPanel(THREAD_TAB, title, vscode.ViewColumn.Active, KEPT_LOADED);
	tab.iconPath = vscode.Uri.joinPath(media, "..", "icons", "vitrine.png");
	return tab;
}

/** After a reload of the window the editor restores these tabs, empty. One that has had no thread yet is closed. */
export function restoreThreadTabs(restored: (tab: vscode.WebviewPanel, threadId: ThreadId) => void): vscode.Disposable {
	return vscode.window.registerWebviewPanelSerializer(THREAD_TAB, {
		deserializeWebviewPanel: async (tab, state: unknown) => {
			const saved = SavedTab.safeParse(state);
			if (saved.success) restored(tab, saved.data.threadId);
			else tab.dispose();
		},
	});
}

/** The page of a chat that stays in its tab until that is closed. */
export function createTabView(
	tab: vscode.WebviewPanel,
	media: vscode.Uri,
	log: vscode.LogOutputChannel,
	hooks: PageHooks,
): ChatView {
	const link = createPageLink(() => tab, log, hooks);
	link.listen(tab);
	tab.onDidChangeViewState(() => {
		if (tab.visible) link.show();
	});
	tab.onDidDispose(() => link.lose());
	fillWebview(tab.webview, media, "chat");
	return {
		post: link.post,
		reveal: async () => tab.reveal(),
		showWith: async (message) => {
			const isHere = link.isReady();
			if (!isHere) link.postLater(message);
			tab.reveal();
			if (isHere) link.post(message);
		},
		isReady: link.isReady,
		isVisible: () => tab.visible,
		// The number is on the icon of the chat's view.
		showWaiting: () => undefined,
		chime: (about) => link.post({ type: "chime", about }),
		hide: async () => tab.dispose(),
		moveTo: async () => tab.reveal(),
		dispose: () => tab.dispose(),
	};
}
