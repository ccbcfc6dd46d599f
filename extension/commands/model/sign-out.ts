import * as vscode from "vscode";
import { type Message, t } from "../../../l10n/t.ts";
import type { Keys, Stored } from "../../facts/keys.ts";

const NAMES: Readonly<Record<Stored["kind"], Message>> = { key: "API key", token: "Sign-in" };

/** Removes a key or a sign-in from secret storage. */
export async function signOut(keys: Keys): Promise<void> {
	const stored = keys.list();
	if (stored.length === 0) {
		void vscode.window.showInformationMessage(t("No API key or sign-in is stored."));
		return;
	}
	const picked = await vscode.window.showQuickPick(
		stored.map((what) => ({ label: what.origin, description: t(NAMES[what.kind]), what })),
		{ title: t("Sign Out or Remove Key"), placeHolder: t("Choose the credentials to remove") },
	);
	if (picked === undefined) return;
	await keys.remove(picked.what);
	void vscode.window.showInformationMessage(t("Removed the credentials for {0}.", picked.what.origin));
}
