import * as vscode from "vscode";
import { modelSignOut } from "../../../agent-host/protocol/host/host.ts";
import { type Message, t } from "../../../l10n/t.ts";
import type { Keys, Stored } from "../../facts/keys.ts";
import { showInformation } from "../../facts/show-message.ts";
import type { HostClient } from "../../host/host-client.ts";

const NAMES: Readonly<Record<Stored["kind"], Message>> = { key: "API key", token: "Sign-in" };

/** Removes a key or a sign-in from secret storage. */
export async function signOut(host: HostClient, keys: Keys): Promise<void> {
	const stored = keys.list();
	if (stored.length === 0) {
		void showInformation(t("No API key or sign-in is stored."));
		return;
	}
	const picked = await vscode.window.showQuickPick(
		stored.map((what) => ({ label: what.origin, description: t(NAMES[what.kind]), what })),
		{ title: t("Sign Out or Remove Key"), placeHolder: t("Choose the credentials to remove") },
	);
	if (picked === undefined) return;
	const { kind, origin } = picked.what;
	// The service is told, too; one that cannot be reached must not keep the user signed in here.
	if (kind === "token") await host.request(modelSignOut, { origin }).catch(() => undefined);
	await keys.remove(picked.what);
	void showInformation(t("Removed the credentials for {0}.", picked.what.origin));
}
