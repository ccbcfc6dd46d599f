import * as vscode from "vscode";
import { countOf, t } from "../../l10n/t.ts";
import type { HostClient } from "../host/host-client.ts";
import type { PolicyShown, PolicyWatch } from "../host/policy-watch.ts";

export interface StatusItem extends vscode.Disposable {
	/** Shows how many approvals and questions are pending, also while the chat is closed. */
	readonly showWaiting: (count: number) => void;
}

/** The status bar items: the permission mode, with a warning for full access or a host warning, and what is pending. */
export function createStatus(policy: PolicyWatch, host: Pick<HostClient, "warnings" | "onDidChangeState">): StatusItem {
	let last: PolicyShown | undefined;
	const waiting = createWaitingItem();
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
	const disposables = [item, waiting, policy.onDidChange(show), host.onDidChangeState(() => show(last))];
	return {
		showWaiting: (count) => {
			waiting.text = `$(bell-dot) ${countOf(count, "{0} approval needed", "{0} approvals needed")}`;
			if (count > 0) waiting.show();
			else waiting.hide();
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

function createWaitingItem(): vscode.StatusBarItem {
	const item = vscode.window.createStatusBarItem("vitrine.waiting", vscode.StatusBarAlignment.Right);
	item.name = t("Vitrine: Approvals");
	item.tooltip = t("Vitrine needs your answer. Click to show the Activity view.");
	item.command = "vitrine.activity.focus";
	item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
	return item;
}
