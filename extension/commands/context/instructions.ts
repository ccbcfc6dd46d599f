import * as vscode from "vscode";
import { contextInspect } from "../../../agent-host/protocol/thread/context.ts";
import { t } from "../../../l10n/t.ts";
import type { Parts } from "../parts.ts";

const FILES = "**/{AGENTS.md,AGENTS.override.md}";
const SKIPPED = "**/node_modules/**";
const MAX_FILES = 50;

/** Opens the workspace's instructions, or a new file for them. */
export async function openInstructions(): Promise<void> {
	const found = await vscode.workspace.findFiles(FILES, SKIPPED, MAX_FILES);
	const files = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
	files.sort((a, b) => a.label.length - b.label.length || (a.label < b.label ? -1 : 1));
	const picked =
		files.length < 2 ? files[0] : await vscode.window.showQuickPick(files, { title: t("Open Instructions") });
	if (picked !== undefined) await vscode.window.showTextDocument(picked.uri);
	else if (files.length === 0) await vscode.window.showTextDocument(newFile());
}

/** Reads the instructions now and says whether they changed. Every turn does this automatically. */
export async function reloadInstructions({ host, panel }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { items } = await host.request(contextInspect, { threadId });
	const isNews = items.some(({ kind, cached }) => kind === "user-instructions" && !cached);
	const news = t("Instructions reloaded. They apply from the next turn.");
	const known = t("Instructions reloaded. No changes.");
	void vscode.window.showInformationMessage(isNews ? news : known);
}

/** The file is not written before the user saves it. */
function newFile(): vscode.Uri {
	const [folder] = vscode.workspace.workspaceFolders ?? [];
	if (folder === undefined) throw new Error(t("Open a folder first."));
	return vscode.Uri.joinPath(folder.uri, "AGENTS.md").with({ scheme: "untitled" });
}
