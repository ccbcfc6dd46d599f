import { lstat, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import { fileUri } from "../../facts/file-uri.ts";
import { isInside } from "../../facts/inside.ts";
import { showWarning } from "../../facts/show-message.ts";
import { isSensitive } from "./sensitive.ts";

/** Inserts code at the cursor, or replaces the selection. */
export async function insertCode(text: string): Promise<void> {
	const editor = activeEditor();
	await editor.edit((edit) => {
		for (const selection of editor.selections) edit.replace(selection, text);
	});
	await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/**
 * Replaces the text of the named file, or the selection, with code from an answer. The document is left unsaved beside
 * the file on disk, so that the user can look, undo or save.
 */
export async function applyCode(text: string, path: string | undefined): Promise<void> {
	const place: Place = path === undefined ? placeOf(activeEditor()) : { uri: await resolveFile(path) };
	if (!(await isWanted(place.uri, path))) return;
	const document = place.document ?? (await openOrBegin(place.uri));
	// In its own group: elsewhere the same file has another selection.
	const editor = await vscode.window.showTextDocument(document, place.viewColumn);
	const isPart = path === undefined && !editor.selection.isEmpty;
	const whole = new vscode.Range(0, 0, document.lineCount, 0);
	const ended = text.endsWith("\n") ? text : `${text}\n`;
	await editor.edit((edit) => edit.replace(isPart ? editor.selection : whole, isPart ? text : ended));
	if (!document.isUntitled) await vscode.commands.executeCommand("workbench.files.action.compareWithSaved");
}

interface Place {
	readonly uri: vscode.Uri;
	/** Where the user is in it. */
	readonly document?: vscode.TextDocument;
	readonly viewColumn?: vscode.ViewColumn | undefined;
}

function placeOf({ document, viewColumn }: vscode.TextEditor): Place {
	return { uri: document.uri, document, viewColumn };
}

/** Files that other programs run, or that give the agent more rights, need a confirmation. */
async function isWanted(uri: vscode.Uri, path: string | undefined): Promise<boolean> {
	const { fsPath } = uri;
	if (![vscode.workspace.asRelativePath(uri, false), path ?? ""].some(isSensitive)) return true;
	const apply = t("Apply");
	const question =
		"{0} is protected: it can change what other programs run or the agent's permissions. Apply the code to it?";
	return (await showWarning(t(question, fsPath), { modal: true }, apply)) === apply;
}

/** A new file starts as an untitled document, written when the user saves it. */
export function openOrBegin(uri: vscode.Uri): Thenable<vscode.TextDocument> {
	return vscode.workspace
		.openTextDocument(uri)
		.then(undefined, () => vscode.workspace.openTextDocument(uri.with({ scheme: "untitled" })));
}

function activeEditor(): vscode.TextEditor {
	const editor = vscode.window.activeTextEditor;
	if (editor === undefined) throw new Error(t("Open a file in the editor first."));
	return editor;
}

/** Resolves a path from an answer: it must be inside a workspace folder, links resolved. It need not exist yet. */
async function resolveFile(path: string): Promise<vscode.Uri> {
	for (const { uri } of (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file")) {
		const folder = await realpath(uri.fsPath);
		const wanted = resolve(folder, path);
		const file = await realpath(wanted).catch(async () => inRealFolder(wanted));
		// Saving would follow the link to wherever it points.
		if (file !== undefined && (await isLink(file))) throw new Error(t(LEADS_NOWHERE, path));
		if (file !== undefined && isInside(file, folder)) return fileUri(file);
	}
	throw new Error(t("{0} is not in this workspace.", path));
}

const LEADS_NOWHERE = "{0} is a broken link. Use the file itself.";

async function isLink(path: string): Promise<boolean> {
	return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

async function inRealFolder(path: string): Promise<string | undefined> {
	const folder = await realpath(dirname(path)).catch(() => undefined);
	return folder === undefined ? undefined : resolve(folder, path.slice(dirname(path).length + 1));
}
