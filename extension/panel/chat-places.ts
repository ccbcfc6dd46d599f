import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { renderNotice } from "./page.ts";
import { pageFor } from "./webview-page.ts";

export const CHAT_VIEW = "vitrine.chat";
/** Stored in the editor's layout: never rename. */
export const CHAT_TAB = "vitrine.chatTab";

/** People look elsewhere all the time, and find the chat as they left it: what is written, unfolded and in sight. */
export const KEPT_LOADED = { retainContextWhenHidden: true } as const;

/** An empty tab for the chat. */
export function openTab(media: vscode.Uri): vscode.WebviewPanel {
	const tab = vscode.window.createWebviewPanel(CHAT_TAB, "Vitrine", vscode.ViewColumn.Active, KEPT_LOADED);
	tab.iconPath = vscode.Uri.joinPath(media, "..", "icons", "vitrine.png");
	return tab;
}

/** Fills a webview with the chat, or with a note that the chat is in a tab. Only the note may run a command. */
export function fillWebview(webview: vscode.Webview, media: vscode.Uri, what: "chat" | "elsewhere"): void {
	if (what === "chat") {
		webview.options = { enableScripts: true, localResourceRoots: [media] };
		webview.html = pageFor(webview, media, { view: CHAT_VIEW, title: "Vitrine", bundle: "panel" });
	} else {
		webview.options = { enableCommandUris: ["vitrine.showChatInView"], localResourceRoots: [] };
		const link = { label: t("Move Chat Here"), command: "vitrine.showChatInView" };
		webview.html = renderNotice(t("The chat is open in an editor tab."), link);
	}
}
