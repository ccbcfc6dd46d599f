import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { renderNotice, renderPage } from "./page.ts";

export const CHAT_VIEW = "vitrine.chat";
/** Kept by the editor with its layout: never renamed. */
export const CHAT_TAB = "vitrine.chatTab";

export function mediaFolder(extensionUri: vscode.Uri): vscode.Uri {
	return vscode.Uri.joinPath(extensionUri, "media", "dist");
}

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
		webview.html = chatPage(webview, media);
	} else {
		webview.options = { enableCommandUris: ["vitrine.showChatInView"], localResourceRoots: [] };
		const link = { label: t("Show It Here"), command: "vitrine.showChatInView" };
		webview.html = renderNotice(t("The chat is open in an editor tab."), link);
	}
}

function chatPage(webview: vscode.Webview, media: vscode.Uri): string {
	const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
	return renderPage({
		view: CHAT_VIEW,
		title: "Vitrine",
		language: vscode.env.language,
		words: vscode.l10n.bundle,
		nonce: randomBytes(16).toString("hex"),
		cspSource: webview.cspSource,
		script: uri("panel.js"),
		styles: [uri("codicon.css"), uri("panel.css")],
	});
}
