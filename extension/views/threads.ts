import * as vscode from "vscode";
import { type ThreadSummary, threadList } from "../../agent-host/protocol/thread.ts";
import { countOf, t } from "../../l10n/t.ts";
import type { HostClient } from "../host/host-client.ts";

export const THREADS_VIEW = "vitrine.threads";

const REFRESH_ON: ReadonlySet<string> = new Set(["titleChanged", "turnStarted", "turnCompleted", "archivedChanged"]);

/** The threads as a native tree, newest first. */
export interface ThreadsView extends vscode.Disposable {
	readonly refresh: () => void;
}

export function createThreadsView(host: HostClient): ThreadsView {
	const changed = new vscode.EventEmitter<undefined>();
	const provider: vscode.TreeDataProvider<ThreadSummary> = {
		onDidChangeTreeData: changed.event,
		getChildren: async (parent) => {
			// Looking must not start a host that was given up; the view says so instead.
			if (parent !== undefined || host.state().state === "stopped") return [];
			const { threads } = await host.request(threadList, { limit: 1_000 });
			return threads;
		},
		getTreeItem: asTreeItem,
	};
	const view = vscode.window.createTreeView(THREADS_VIEW, { treeDataProvider: provider });
	const refresh = () => changed.fire(undefined);
	const disposables = [
		view,
		changed,
		host.onThreadEvent(({ event }) => {
			if (REFRESH_ON.has(event.type)) refresh();
		}),
		host.onDidChangeState(({ state }) => {
			if (state === "ready" || state === "stopped") refresh();
		}),
	];
	return { refresh, dispose: () => vscode.Disposable.from(...disposables).dispose() };
}

function asTreeItem(thread: ThreadSummary): vscode.TreeItem {
	const item = new vscode.TreeItem(thread.title);
	item.id = thread.threadId;
	item.description = describeAge(Date.now() - thread.updatedAt);
	item.tooltip = `${thread.title}\n${countOf(thread.turns, "{0} turn", "{0} turns")} · ${thread.model}`;
	item.iconPath = new vscode.ThemeIcon(thread.running ? "loading~spin" : "comment-discussion");
	item.contextValue = "thread";
	item.command = { command: "vitrine.openThread", title: t("Open Thread"), arguments: [thread] };
	return item;
}

export function describeAge(ms: number): string {
	const minutes = Math.floor(ms / 60_000);
	if (minutes < 1) return t("now");
	if (minutes < 60) return t("{0} min", minutes);
	const hours = Math.floor(minutes / 60);
	return hours < 24 ? t("{0} h", hours) : t("{0} d", Math.floor(hours / 24));
}
