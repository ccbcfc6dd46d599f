import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";

export interface Folders {
	readonly names: readonly string[];
	/** Path of the first local folder. */
	readonly first?: string;
	readonly problem?: string;
}

/** The workspace folders that the host can read. */
export function readFolders(): Folders {
	const all = vscode.workspace.workspaceFolders ?? [];
	const local = all.filter((folder) => folder.uri.scheme === "file");
	const first = local[0]?.uri.fsPath;
	return {
		names: local.map((folder) => folder.name),
		...(first === undefined ? {} : { first }),
		...(all.length > 0 && local.length === 0
			? { problem: t("Files in a virtual workspace can't be read. You can still ask questions.") }
			: {}),
	};
}
