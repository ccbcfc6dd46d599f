import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import type { PolicyShown, PolicyWatch } from "../facts/policy.ts";

/** The status item: what the agent may do, with a warning for as long as that is everything. */
export function createStatus(policy: PolicyWatch): vscode.Disposable {
	const item = vscode.window.createStatusBarItem("vitrine.policy", vscode.StatusBarAlignment.Right);
	item.name = "Vitrine";
	item.command = "vitrine.changePermissions";
	const show = (shown: PolicyShown | undefined): void => {
		if (shown === undefined) {
			item.hide();
			return;
		}
		const isFull = shown.mode === "full";
		item.text = isFull ? `$(unlock) ${t("Vitrine: full access")}` : `$(lock) ${shown.name}`;
		item.tooltip = [t("Vitrine: what the next turn may do. Select to change it."), ...shown.words].join("\n");
		item.backgroundColor = isFull ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		item.show();
	};
	return vscode.Disposable.from(item, policy.onDidChange(show));
}
