import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";

/** Where a customization goes: into a workspace folder, for everybody who works there, or into the user's own folder. */
export async function pickPlace(
	title: string,
	to: { readonly workspace: string; readonly own: vscode.Uri },
): Promise<vscode.Uri | undefined> {
	const folders = vscode.workspace.workspaceFolders ?? [];
	const places = [
		...folders.map(({ name, uri }) => ({
			label: t("In {0}", withoutIcons(name)),
			description: to.workspace,
			uri: vscode.Uri.joinPath(uri, to.workspace),
		})),
		{ label: t("All workspaces"), description: to.own.fsPath, uri: to.own },
	];
	return (await vscode.window.showQuickPick(places, { title }))?.uri;
}
