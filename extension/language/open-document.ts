import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import { fileUri } from "../facts/file-uri.ts";

/** How long the editor may take to load a file again that has changed on disk. */
const LOAD_MS = 2_000;

/**
 * Opens a file without showing it, so that its server gets to know it. Fails if the editor does not have the file's own
 * text: a folder on its path may have been a link for a moment.
 */
export async function openDocument(path: string): Promise<vscode.TextDocument> {
	const real = await realpath(path);
	const uri = fileUri(path);
	const document = await vscode.workspace.openTextDocument(uri);
	const isOwn = document.isDirty || (await showsFile(document));
	if (!isOwn || (await realpath(uri.fsPath)) !== real)
		throw new Error(`${path} is not in the editor as it is on disk.`);
	return document;
}

async function showsFile(document: vscode.TextDocument): Promise<boolean> {
	// The user may have opened it with another encoding than the settings name.
	const { uri, encoding } = document;
	const until = Date.now() + LOAD_MS;
	for (;;) {
		const onDisk = await vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), { encoding });
		if (unifyText(onDisk) === unifyText(document.getText())) return true;
		if (!(await waitForChange(document, until - Date.now()))) return false;
	}
}

function waitForChange(document: vscode.TextDocument, ms: number): Promise<boolean> {
	return new Promise((resolve) => {
		const finish = (isChanged: boolean) => {
			clearTimeout(timer);
			listening.dispose();
			resolve(isChanged);
		};
		const listening = vscode.workspace.onDidChangeTextDocument((changed) => {
			if (changed.document === document) finish(true);
		});
		const timer = setTimeout(finish, Math.max(0, ms), false);
	});
}

/** Editors unify line ends and hide the byte-order mark. */
function unifyText(text: string): string {
	return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}
