import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { isInside } from "./inside.ts";

export interface Folders {
	readonly names: readonly string[];
	readonly paths: readonly string[];
	/** The first of them. */
	readonly first?: string;
	readonly problem?: string;
}

/** The workspace folders that the host can read. */
export function readFolders(): Folders {
	const all = vscode.workspace.workspaceFolders ?? [];
	const local = all.filter((folder) => folder.uri.scheme === "file");
	const paths = local.map((folder) => folder.uri.fsPath);
	const [first] = paths;
	return {
		names: local.map((folder) => folder.name),
		paths,
		...(first === undefined ? {} : { first }),
		...(all.length > 0 && local.length === 0
			? { problem: t("Files in a virtual workspace can't be read. You can still ask questions.") }
			: {}),
	};
}

/** Whether a folder is open in this window, or inside one that is. */
export function isFolderOpen(folder: string): boolean {
	return readFolders().paths.some((open) => open === folder || isInside(folder, open));
}
