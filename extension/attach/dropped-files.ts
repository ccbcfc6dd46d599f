import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { isInside } from "../facts/inside.ts";
import { offerFile } from "./document-offers.ts";
import { toExcerpt } from "./lines.ts";
import type { Offer } from "./offer.ts";

/** Offers the dropped files that are in the workspace, with a sentence about the others. */
export async function offerDroppedFiles(
	addresses: readonly string[],
): Promise<{ readonly offers: readonly Offer[]; readonly problem?: string }> {
	const folders = await realFolders();
	const found = await Promise.all(
		addresses.map(async (address) => {
			const uri = readAddress(address);
			return (uri && (await offerInside(uri, folders))) ?? uri?.fsPath ?? address;
		}),
	);
	const refused = found.filter((one) => typeof one === "string");
	const offers = found.filter((one) => typeof one !== "string");
	return refused.length === 0 ? { offers } : { offers, problem: describeOutside(refused) };
}

export function describeOutside(names: readonly string[]): string {
	return t("Not attached (outside this workspace): {0}", names.join(", "));
}

/** Undefined if the file does not exist or is outside the workspace once links are resolved. */
export async function offerInWorkspace(uri: vscode.Uri): Promise<Offer | undefined> {
	const local = readAddress(uri.toString());
	return local && offerInside(local, await realFolders());
}

/** Offers a dropped text that has a name but no path; it is sent unchanged. */
export function offerDroppedText(name: string, text: string): Offer {
	return {
		key: `text ${name} ${createHash("sha256").update(text).digest("hex")}`,
		kind: "text",
		label: name,
		title: t("{0} (as it was when attached)", name),
		read: () => toExcerpt(`the file ${name}`, text),
	};
}

async function offerInside(uri: vscode.Uri, folders: readonly string[]): Promise<Offer | undefined> {
	const real = await realpath(uri.fsPath).catch(() => undefined);
	if (real === undefined) return undefined;
	if (!folders.some((folder) => real === folder || isInside(real, folder))) return undefined;
	return offerFile(uri, (await stat(real)).isDirectory() ? "folder" : "file");
}

/** In a remote window the URIs name the remote machine; for this process they are local files. */
function readAddress(address: string): vscode.Uri | undefined {
	try {
		const { scheme, path, fsPath } = vscode.Uri.parse(address, true);
		if (scheme === "file") return vscode.Uri.file(fsPath);
		return scheme === "vscode-remote" && vscode.env.remoteName !== undefined ? vscode.Uri.file(path) : undefined;
	} catch {
		return undefined;
	}
}

async function realFolders(): Promise<readonly string[]> {
	const local = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
	const real = await Promise.all(local.map(({ uri }) => realpath(uri.fsPath).catch(() => undefined)));
	return real.filter((folder) => folder !== undefined);
}
