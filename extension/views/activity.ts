import * as vscode from "vscode";
import type { ApprovalRequest, ApprovalSubject } from "../../agent-host/protocol/approval.ts";
import { type Message, t } from "../../l10n/t.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import { isWanted } from "./notifications.ts";

export const ACTIVITY_VIEW = "vitrine.activity";

/** What waits for the user: a native tree, a number on the chat's icon, and a notification while the chat is hidden. */
export interface ActivityView extends vscode.Disposable {
	readonly refresh: () => void;
}

export function createActivityView(
	pending: () => readonly ApprovalRequest[],
	panel: Pick<ChatPanel, "isVisible" | "showThread" | "showWaiting">,
): ActivityView {
	const changed = new vscode.EventEmitter<undefined>();
	let known: ReadonlySet<string> = new Set();
	const provider: vscode.TreeDataProvider<ApprovalRequest> = {
		onDidChangeTreeData: changed.event,
		getChildren: (parent) => (parent === undefined ? [...pending()] : []),
		getTreeItem: asTreeItem,
	};
	const view = vscode.window.createTreeView(ACTIVITY_VIEW, { treeDataProvider: provider });
	const notify = async (request: ApprovalRequest): Promise<void> => {
		// The editor turns links in notifications into links: words of the model have no place there.
		const show = t("Show");
		const answer = await vscode.window.showWarningMessage(t(QUESTIONS[request.subject.kind]), show);
		if (answer === show) await panel.showThread(request.threadId);
	};
	return {
		refresh: () => {
			const waiting = pending();
			for (const request of waiting)
				if (!known.has(request.approvalId) && isWanted("waiting", panel.isVisible())) void notify(request);
			known = new Set(waiting.map(({ approvalId }) => approvalId));
			panel.showWaiting(waiting.length);
			changed.fire(undefined);
		},
		dispose: () => vscode.Disposable.from(view, changed).dispose(),
	};
}

function asTreeItem(request: ApprovalRequest): vscode.TreeItem {
	const item = new vscode.TreeItem(describeSubject(request.subject));
	item.id = request.approvalId;
	item.description = request.reason;
	item.tooltip = `${describeSubject(request.subject)}\n${request.reason}`;
	item.iconPath = new vscode.ThemeIcon("question");
	item.command = { command: "vitrine.openThread", title: t("Show"), arguments: [{ threadId: request.threadId }] };
	return item;
}

const QUESTIONS: Readonly<Record<ApprovalSubject["kind"], Message>> = {
	command: "Vitrine waits for you: may it run a command?",
	patch: "Vitrine waits for you: may it change files?",
	network: "Vitrine waits for you: may it reach a host?",
};
const MAX_LABEL = 120;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

function describeSubject(subject: ApprovalSubject): string {
	switch (subject.kind) {
		case "command":
			return cut(t("Run {0}", subject.shell ?? subject.argv.join(" ")));
		case "patch":
			return cut(t("Change {0}", subject.files.map(({ path }) => path).join(", ")));
		case "network":
			return cut(t("Reach {0}", `${subject.host}:${subject.port}`));
	}
}

function cut(text: string): string {
	const spell = (hidden: string) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`;
	const line = text.replaceAll(/\s+/g, " ").replaceAll(HIDDEN, spell);
	return line.length <= MAX_LABEL ? line : `${line.slice(0, MAX_LABEL - 1)}…`;
}
