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

/** The path as the host expects it; the whole address of what is not a file. */
export function toPath(uri: vscode.Uri): string {
	return uri.scheme === "file" ? hostPath(uri) : uri.toString();
}

/** What is known of a file, also under its real path: some language servers resolve links. */
export function readDiagnostics(uri: vscode.Uri): readonly vscode.Diagnostic[] {
	const real = uri.scheme === "file" ? vscode.Uri.file(hostPath(uri)) : uri;
	const uris = real.toString() === uri.toString() ? [uri] : [uri, real];
	return uris.flatMap((one) => vscode.languages.getDiagnostics(one));
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
