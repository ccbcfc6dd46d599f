import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { renderPage } from "./page.ts";

export function mediaFolder(extensionUri: vscode.Uri): vscode.Uri {
	return vscode.Uri.joinPath(extensionUri, "media", "dist");
}

/** HTML of one of our pages for a webview, with a new nonce; `bundle` is the base name of its files. */
export function pageFor(
	webview: vscode.Webview,
	media: vscode.Uri,
	{ view, title, bundle }: { readonly view: string; readonly title: string; readonly bundle: "panel" | "inspector" },
): string {
	const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
	return renderPage({
		view,
		title,
		language: vscode.env.language,
		words: vscode.l10n.bundle,
		nonce: randomBytes(16).toString("hex"),
		cspSource: webview.cspSource,
		script: uri(`${bundle}.js`),
		styles: [uri("codicon.css"), uri(`${bundle}.css`)],
	});
}
