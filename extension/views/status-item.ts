import * as vscode from "vscode";
import { sayHost, sayNamed, sayWarning } from "../../l10n/host-words.ts";
import { t } from "../../l10n/t.ts";
import type { HostClient } from "../host/host-client.ts";
import type { PolicyShown, PolicyWatch } from "../host/policy-watch.ts";
import type { WaitingRequest } from "../host/waiting-list.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import { describeWork } from "./work-words.ts";

export interface StatusItem extends vscode.Disposable {
	/** Tells what waits for the user in all threads, which it shows also while the chat is closed. */
	readonly showWaiting: (waiting: readonly Pick<WaitingRequest, "kind">[]) => void;
}

/** The status bar items: the permission mode, with a warning for full access or a host warning, and what the agent does. */
export function createStatus(
	policy: PolicyWatch,
	host: Pick<HostClient, "warnings" | "onDidChangeState" | "onThreadEvent">,
	panel: Pick<ChatPanel, "isVisible" | "onDidShow">,
): StatusItem {
	let last: PolicyShown | undefined;
	const work = createWorkItem(host, panel);
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
		const limits = host.warnings().map(sayWarning);
		const icon = limits.length > 0 ? "$(warning)" : isFull ? "$(unlock)" : "$(lock)";
		item.text = `${icon} ${isFull ? t("Vitrine: Full Access") : sayNamed(shown.name, shown.nameSaid)}`;
		const words = shown.words.map((one) => sayHost(one));
		item.tooltip = [...limits, t("Vitrine permissions for the next turn. Click to change."), ...words].join("\n");
		item.backgroundColor =
			isFull || limits.length > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		item.show();
	};
	const disposables = [item, work, policy.onDidChange(show), host.onDidChangeState(() => show(last))];
	return {
		showWaiting: work.showWaiting,
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

/** What the agent does in this window: it needs the user, works, or has ended while nobody looked. */
function createWorkItem(
	host: Pick<HostClient, "onDidChangeState" | "onThreadEvent">,
	panel: Pick<ChatPanel, "isVisible" | "onDidShow">,
): StatusItem {
	const item = vscode.window.createStatusBarItem("vitrine.work", vscode.StatusBarAlignment.Right);
	item.name = t("Vitrine: Activity");
	const running = new Set<string>();
	let waiting: readonly Pick<WaitingRequest, "kind">[] = [];
	let ended: "done" | "failed" | undefined;
	const show = (): void => {
		const approvals = waiting.filter(({ kind }) => kind === "approval").length;
		const look = describeWork({ approvals, questions: waiting.length - approvals, running: running.size, ended });
		if (look === undefined) {
			item.hide();
			return;
		}
		item.text = look.text;
		item.tooltip = look.tooltip;
		item.command = waiting.length > 0 ? "vitrine.activity.focus" : "vitrine.openChat";
		item.backgroundColor = waiting.length > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		item.show();
	};
	const disposables = [
		item,
		host.onThreadEvent(({ event }) => {
			if (event.type === "turnStarted") {
				running.add(event.turnId);
				ended = undefined;
			} else if (event.type === "turnCompleted") {
				running.delete(event.turnId);
				// Who has stopped a turn knows that it has ended.
				const isKnown = panel.isVisible() || event.status === "interrupted";
				ended = isKnown ? undefined : event.status === "failed" ? "failed" : "done";
			} else return;
			show();
		}),
		host.onDidChangeState(({ state }) => {
			if (state !== "ready") running.clear();
			show();
		}),
		panel.onDidShow(() => {
			ended = undefined;
			show();
		}),
	];
	return {
		showWaiting: (now) => {
			waiting = now;
			show();
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}
