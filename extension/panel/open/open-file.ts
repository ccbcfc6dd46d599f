import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import { fileUri } from "../../facts/file-uri.ts";
import { isInside } from "../../facts/inside.ts";

/** Opens a file named in an answer, only if it is really in a workspace folder, links resolved. */
export async function openFile(path: string, line: number | undefined): Promise<void> {
	for (const { uri } of (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file")) {
		const [folder, file] = await Promise.all([uri.fsPath, resolve(uri.fsPath, path)].map(realPath));
		if (folder === undefined || file === undefined || !isInside(file, folder)) continue;
		const at = new vscode.Position((line ?? 1) - 1, 0);
		await vscode.window.showTextDocument(fileUri(file), { selection: new vscode.Range(at, at), preview: true });
		return;
	}
	throw new Error(t("{0} was not found in this workspace.", path));
}

function realPath(path: string): Promise<string | undefined> {
	return realpath(path).catch(() => undefined);
}
