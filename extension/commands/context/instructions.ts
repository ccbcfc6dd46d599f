import * as vscode from "vscode";
import { contextInspect } from "../../../agent-host/protocol/thread/context.ts";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { showInformation } from "../../facts/show-message.ts";
import type { Parts } from "../parts.ts";

const FILES = "**/{AGENTS.md,AGENTS.override.md,CLAUDE.md,copilot-instructions.md}";
const SKIPPED = "**/node_modules/**";
const MAX_FILES = 50;

/** Opens the user's own instructions, those of the workspace, or a new file for either. */
export async function openInstructions({ home }: Parts): Promise<void> {
	const own = { label: t("Your instructions"), description: t("All workspaces"), uri: fileIn(home) };
	const picked = await vscode.window.showQuickPick([own, ...(await listWorkspaceFiles())], {
		title: t("Open Instructions"),
	});
	if (picked !== undefined) await vscode.window.showTextDocument(await existingOrNew(picked.uri));
}

/** Reads the instructions now and says whether they changed. Every turn does this automatically. */
export async function reloadInstructions({ host, panel }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { items } = await host.request(contextInspect, { threadId });
	const isNews = items.some(({ kind, cached }) => kind === "user-instructions" && !cached);
	const news = t("Instructions reloaded. They apply from the next turn.");
	const known = t("Instructions reloaded. No changes.");
	void showInformation(isNews ? news : known);
}

async function listWorkspaceFiles(): Promise<readonly { readonly label: string; readonly uri: vscode.Uri }[]> {
	const found = await vscode.workspace.findFiles(FILES, SKIPPED, MAX_FILES);
	const files = found.map((uri) => ({ label: withoutIcons(vscode.workspace.asRelativePath(uri)), uri }));
	files.sort((a, b) => a.label.length - b.label.length || (a.label < b.label ? -1 : 1));
	const [folder] = vscode.workspace.workspaceFolders ?? [];
	if (files.length > 0 || folder === undefined) return files;
	return [{ label: t("New AGENTS.md in {0}", folder.name), uri: fileIn(folder.uri) }];
}

function fileIn(folder: vscode.Uri): vscode.Uri {
	return vscode.Uri.joinPath(folder, "AGENTS.md");
}

/** A new file is not written before the user saves it. */
async function existingOrNew(uri: vscode.Uri): Promise<vscode.Uri> {
	return vscode.workspace.fs.stat(uri).then(
		() => uri,
		() => uri.with({ scheme: "untitled" }),
	);
}
