import { realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { isInside } from "./inside.ts";

/** Replaces what is selected in the editor by code of an answer, or puts it at the cursor. */
export async function insertCode(text: string): Promise<void> {
	const editor = activeEditor();
	await editor.edit((edit) => {
		for (const selection of editor.selections) edit.replace(selection, text);
	});
	await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/** Shows in the editor's own preview what a file would be with code of an answer. Nothing is written before the user says so. */
export async function applyCode(text: string, path: string | undefined): Promise<void> {
	const uri = path === undefined ? activeEditor().document.uri : await fileOf(path);
	const edit = new vscode.WorkspaceEdit();
	const known = await vscode.workspace.openTextDocument(uri).then(
		(document) => document,
		() => undefined,
	);
	const about = { needsConfirmation: true, label: t("Code of an answer") };
	const whole = text.endsWith("\n") ? text : `${text}\n`;
	if (known === undefined) {
		edit.createFile(uri, { contents: new TextEncoder().encode(whole) }, about);
	} else {
		const selection = path === undefined ? activeEditor().selection : undefined;
		const isPart = selection !== undefined && !selection.isEmpty;
		const last = known.lineAt(known.lineCount - 1).range.end;
		edit.replace(
			uri,
			isPart ? selection : new vscode.Range(new vscode.Position(0, 0), last),
			isPart ? text : whole,
			about,
		);
	}
	await vscode.workspace.applyEdit(edit);
}

function activeEditor(): vscode.TextEditor {
	const editor = vscode.window.activeTextEditor;
	if (editor === undefined) throw new Error(t("Open a file in the editor first."));
	return editor;
}

/** Where a path of an answer really lies, links followed: inside a workspace folder or nowhere. It need not be there yet. */
async function fileOf(path: string): Promise<vscode.Uri> {
	for (const { uri } of (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file")) {
		const folder = await realpath(uri.fsPath);
		const wanted = resolve(folder, path);
		const file = await realpath(wanted).catch(async () => inRealFolder(wanted));
		if (file !== undefined && isInside(file, folder)) return vscode.Uri.file(file);
	}
	throw new Error(t("{0} does not lie in this workspace.", path));
}

async function inRealFolder(path: string): Promise<string | undefined> {
	const folder = await realpath(dirname(path)).catch(() => undefined);
	return folder === undefined ? undefined : resolve(folder, path.slice(dirname(path).length + 1));
}
