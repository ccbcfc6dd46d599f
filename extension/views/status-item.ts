import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import type { HostClient } from "../host/host-client.ts";
import type { PolicyShown, PolicyWatch } from "../host/policy-watch.ts";

/** The status bar item: the permission mode, with a warning for full access or a host warning. */
export function createStatus(
	policy: PolicyWatch,
	host: Pick<HostClient, "warnings" | "onDidChangeState">,
): vscode.Disposable {
	let last: PolicyShown | undefined;
	const item = vscode.window.createStatusBarItem("vitrine.policy", vscode.StatusBarAlignment.Right);
	item.name = "Vitrine";
	item.command = "vitrine.changePermissions";
	const show = (shown: PolicyShown | undefined): void => {
		last = shown;
		if (shown === undefined) {
			item.hide();
			return;
		}
		const isFull = shown.mode === "full";
		const limits = host.warnings().map(({ message, fix }) => `${message} ${fix}`);
		const icon = limits.length > 0 ? "$(warning)" : isFull ? "$(unlock)" : "$(lock)";
		item.text = `${icon} ${isFull ? t("Vitrine: Full Access") : shown.name}`;
		item.tooltip = [...limits, t("Vitrine permissions for the next turn. Click to change."), ...shown.words].join("\n");
		item.backgroundColor =
			isFull || limits.length > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		item.show();
	};
	return vscode.Disposable.from(
		item,
		policy.onDidChange(show),
		host.onDidChangeState(() => show(last)),
	);
}
