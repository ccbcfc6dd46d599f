import * as vscode from "vscode";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import type { Parts } from "../parts.ts";

type Row = vscode.QuickPickItem & { readonly path?: string; readonly action?: "browse" | "add" };

/** Changes the thread's folder from its next turn on. Only workspace folders can be chosen. */
export async function changeFolder({ host, panel }: Parts): Promise<void> {
	const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
	if (folders.length === 0) {
		await vscode.commands.executeCommand("workbench.action.files.openFolder");
		return;
	}
	const threadId = await panel.ensureThread();
	const { cwd } = await host.request(threadSettings, { threadId, settings: {} });
	const row = await vscode.window.showQuickPick<Row>(
		[
			...folders.map(({ name, uri: { fsPath } }) => ({
				label: `$(folder) ${withoutIcons(name)}`,
				description: withoutIcons(fsPath === cwd ? t("{0} (current)", fsPath) : fsPath),
				path: fsPath,
			})),
			{ label: "", kind: vscode.QuickPickItemKind.Separator },
			{ label: `$(folder-opened) ${t("Choose Subfolder…")}`, action: "browse" },
			{ label: `$(add) ${t("Add Folder to Workspace…")}`, action: "add" },
		],
		{
			title: t("Change Folder of This Thread"),
			placeHolder: cwd === undefined ? t("Working folder of the agent") : t("Current: {0}", cwd),
			matchOnDescription: true,
		},
	);
	if (row?.action === "add") await vscode.commands.executeCommand("workbench.action.addRootFolder");
	const path = row?.action === "browse" ? await pickFolder(cwd ?? folders[0]?.uri.fsPath) : row?.path;
	if (path !== undefined) await host.request(threadSettings, { threadId, cwd: path, settings: {} });
}

async function pickFolder(from: string | undefined): Promise<string | undefined> {
	const [chosen] =
		(await vscode.window.showOpenDialog({
			title: t("Change Folder"),
			canSelectFiles: false,
			canSelectFolders: true,
			...(from === undefined ? {} : { defaultUri: vscode.Uri.file(from) }),
		})) ?? [];
	return chosen?.fsPath;
}
