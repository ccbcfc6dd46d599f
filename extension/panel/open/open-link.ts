import * as vscode from "vscode";

/** Opens an address of the web that an answer names, and nothing else. */
export async function openLink(url: string): Promise<void> {
	if (!URL.canParse(url)) return;
	const { protocol, href } = new URL(url);
	if (protocol !== "https:" && protocol !== "http:") return;
	// In its plain form, a foreign alphabet spelled out: the editor shows it and asks before it leaves.
	await vscode.env.openExternal(vscode.Uri.parse(href, true));
}
