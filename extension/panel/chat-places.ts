import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { renderNotice } from "./page.ts";
import { pageFor } from "./webview-page.ts";

export const CHAT_VIEW = "vitrine.chat";
/** Kept by the editor with its layout: never renamed. */
export const CHAT_TAB = "vitrine.chatTab";

/** An empty tab for the chat. */
export function openTab(media: vscode.Uri): vscode.WebviewPanel {
	const tab = vscode.window.createWebviewPanel(CHAT_TAB, "Vitrine", vscode.ViewColumn.Active);
	tab.iconPath = vscode.Uri.joinPath(media, "..", "icons", "vitrine.png");
	return tab;
}

/** Puts the chat into a webview, or while that is in a tab, a sentence that says so. Only the latter runs a command. */
export function fill(webview: vscode.Webview, media: vscode.Uri, what: "chat" | "elsewhere"): void {
	if (what === "chat") {
		webview.options = { enableScripts: true, localResourceRoots: [media] };
		webview.html = pageFor(webview, media, { view: CHAT_VIEW, title: "Vitrine", bundle: "panel" });
	} else {
		webview.options = { enableCommandUris: ["vitrine.showChatInView"], localResourceRoots: [] };
		const link = { label: t("Show It Here"), command: "vitrine.showChatInView" };
		webview.html = renderNotice(t("The chat is open in an editor tab."), link);
	}
}
