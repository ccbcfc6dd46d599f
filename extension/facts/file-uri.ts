import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import * as vscode from "vscode";
import { readFolders } from "./folders.ts";
import { isInside } from "./inside.ts";

/**
 * The address that the editor has for a file that the host names. The host resolves links; the editor names what is in a
 * workspace folder by the path that the folder was opened with, also if that is a link.
 */
export function fileUri(path: string): vscode.Uri {
	const { paths } = readFolders();
	if (paths.some((folder) => isInside(path, folder))) return vscode.Uri.file(path);
	const linked = paths.find((folder) => isInside(path, realFolder(folder)));
	return vscode.Uri.file(linked === undefined ? path : join(linked, relative(realFolder(linked), path)));
}

/** The other way round: the path that the host has for a file of the editor. */
export function hostPath({ fsPath }: Pick<vscode.Uri, "fsPath">): string {
	const folder = readFolders().paths.find((one) => isInside(fsPath, one));
	return folder === undefined ? fsPath : join(realFolder(folder), relative(folder, fsPath));
}

const realFolders = new Map<string, string>();

/** A link that is turned while its folder is open counts from the next window on. */
function realFolder(folder: string): string {
	const known = realFolders.get(folder);
	if (known !== undefined) return known;
	const real = findReal(folder);
	realFolders.set(folder, real);
	return real;
}

function findReal(folder: string): string {
	try {
		return realpathSync.native(folder);
	} catch {
		return folder;
	}
}
