import { basename } from "node:path";
import * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { type ThreadSummary, threadList } from "../../../agent-host/protocol/thread/thread.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { isFolderOpen } from "../../facts/folders.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { ChatPanel } from "../../panel/chat-panel.ts";
import {
	arrangeThreads,
	chooseThreadIcon,
	describeAge,
	findShown,
	rowId,
	type ThreadRow,
	type ThreadsShown,
} from "./thread-groups.ts";

export const THREADS_VIEW = "vitrine.threads";

const REFRESH_ON: ReadonlySet<string> = new Set(["titleChanged", "turnStarted", "turnCompleted", "archivedChanged"]);
export const MAX_LISTED = 1_000;
/** Storage key of the user's choices; persists across windows and restarts. */
const CHOICES = "vitrine.threads";
/** How long the editor gets to draw the list before a row of it is selected, and how often that is tried. */
const REVEAL_MS = 100;
const REVEAL_TRIES = 10;
const PINNED = "vitrine.threads.pinned";

/** The Threads view: pinned threads first, then newest first, grouped by folder if wanted. */
export interface ThreadsView extends vscode.Disposable {
	readonly refresh: () => void;
	/** The selected row, which need not be the one that the keys are on. */
	readonly selected: () => ThreadRow | undefined;
	readonly show: (change: Partial<Pick<ThreadsShown, "order" | "which">>) => Promise<void>;
	readonly pin: (threadId: string) => Promise<void>;
	readonly unpin: (threadId: string) => Promise<void>;
}

export function createThreadsView(
	host: HostClient,
	memory: vscode.Memento,
	/** Whether an approval or question of the thread is pending. */
	isWaiting: (threadId: ThreadId) => boolean,
	panel: Pick<ChatPanel, "threadId" | "onDidChangeThread">,
): ThreadsView {
	/** The rows as they are shown, to find the open thread among them. */
	let listed: readonly ThreadRow[] = [];
	let revealing: NodeJS.Timeout | undefined;
	/** Rows that the user has opened or closed; the others are as they come. */
	const opened = new Map<string, boolean>();
	const isClosed = (row: ThreadRow): boolean => !(opened.get(rowId(row)) ?? row.kind === "folder");
	/** The user was in another window, which may have changed threads, while the list was closed. */
	let isStale = false;
	/** Threads whose last turn in this window failed. */
	const failed = new Set<string>();
	const stateOf = ({ threadId }: ThreadSummary) => ({ isWaiting: isWaiting(threadId), failed: failed.has(threadId) });
	const changed = new vscode.EventEmitter<undefined>();
	const shown = (): ThreadsShown => ({
		...{ order: "plain", which: "current" },
		...memory.get<Partial<ThreadsShown>>(CHOICES),
		pinned: new Set(memory.get<readonly string[]>(PINNED)),
		isOpen: isFolderOpen,
	});
	const provider: vscode.TreeDataProvider<ThreadRow> = {
		onDidChangeTreeData: changed.event,
		getChildren: async (row) => {
			if (row !== undefined) return [...row.rows];
			// Do not restart a stopped host just to list threads; the view shows the reason.
			if (host.state().state === "stopped") return [];
			isStale = false;
			const archived = shown().which === "archived";
			const { threads } = await host.request(threadList, { limit: MAX_LISTED, archived });
			listed = arrangeThreads(threads, shown());
			clearTimeout(revealing);
			revealing = setTimeout(() => void revealShown(), REVEAL_MS);
			return [...listed];
		},
		getParent: (row) => findParent(listed, row),
		getTreeItem: (row) => {
			const item = row.kind === "thread" ? threadItem(row, stateOf(row.thread)) : groupItem(row);
			// The editor forgets it with rows that it could not list for a moment, as when the host ends and is started again.
			const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
			item.collapsibleState = row.rows.length === 0 ? None : isClosed(row) ? Collapsed : Expanded;
			return item;
		},
	};
	const view = vscode.window.createTreeView(THREADS_VIEW, { treeDataProvider: provider });
	const refresh = () => changed.fire(undefined);
	/**
	 * Selects the open thread, or the closed group that it is in; never opens the view or a group for it. The editor
	 * refuses a row, or forgets the selection, while it still draws the list: then again, a little later.
	 */
	const revealShown = async (tries = REVEAL_TRIES): Promise<void> => {
		clearTimeout(revealing);
		const threadId = panel.threadId();
		const row = threadId && findShown(listed, threadId, isClosed);
		if (!row || !view.visible || tries === 0) return;
		await view.reveal(row, { select: true, focus: false }).then(undefined, () => undefined);
		const [selected] = view.selection;
		if (selected !== undefined && rowId(selected) === rowId(row)) return;
		clearTimeout(revealing);
		revealing = setTimeout(() => void revealShown(tries - 1), REVEAL_MS);
	};
	const tellChoices = (): void => {
		const { order, which } = shown();
		view.description = which === "archived" ? t("Archived") : "";
		// The menus offer the other order.
		void vscode.commands.executeCommand("setContext", "vitrine.threads.order", order);
		void vscode.commands.executeCommand("setContext", "vitrine.threads.which", which);
		refresh();
	};
	const keepPinned = async (pinned: Iterable<string>): Promise<void> => {
		await memory.update(PINNED, [...pinned]);
		refresh();
	};
	tellChoices();
	const disposables = [
		view,
		changed,
		panel.onDidChangeThread(() => void revealShown()),
		view.onDidChangeVisibility(() => {
			if (view.visible && isStale) refresh();
			else void revealShown();
		}),
		// Nobody tells a window what others do, and how long ago something was has changed anyway.
		vscode.window.onDidChangeWindowState(({ focused }) => {
			if (focused && view.visible) refresh();
			else isStale ||= focused;
		}),
		view.onDidExpandElement(({ element }) => {
			opened.set(rowId(element), true);
			void revealShown();
		}),
		view.onDidCollapseElement(({ element }) => opened.set(rowId(element), false)),
		vscode.workspace.onDidChangeWorkspaceFolders(refresh),
		host.onThreadEvent(({ threadId, event }) => {
			if (event.type === "turnCompleted" && event.status === "failed") failed.add(threadId);
			else if (event.type === "turnStarted") failed.delete(threadId);
			if (REFRESH_ON.has(event.type)) refresh();
		}),
		host.onDidChangeState(({ state }) => {
			if (state === "ready" || state === "stopped") refresh();
		}),
	];
	return {
		refresh,
		selected: () => view.selection[0],
		show: async (change) => {
			const { order, which } = { ...shown(), ...change };
			await memory.update(CHOICES, { order, which });
			tellChoices();
		},
		pin: (threadId) => keepPinned(new Set([...shown().pinned, threadId])),
		unpin: (threadId) => keepPinned([...shown().pinned].filter((other) => other !== threadId)),
		dispose: () => {
			clearTimeout(revealing);
			vscode.Disposable.from(...disposables).dispose();
		},
	};
}

function findParent(rows: readonly ThreadRow[], wanted: ThreadRow): ThreadRow | undefined {
	for (const row of rows) {
		if (row.rows.includes(wanted)) return row;
		const below = findParent(row.rows, wanted);
		if (below !== undefined) return below;
	}
	return undefined;
}

type ListedThread = Extract<ThreadRow, { readonly kind: "thread" }>;

function groupItem(row: Exclude<ThreadRow, ListedThread>): vscode.TreeItem {
	if (row.kind === "elsewhere") {
		const item = new vscode.TreeItem(t("Other Folders"));
		item.id = rowId(row);
		item.description = String(row.rows.length);
		return item;
	}
	const { folder } = row;
	const item = new vscode.TreeItem(folder === "" ? t("No folder") : basename(folder));
	item.id = rowId(row);
	item.tooltip = folder;
	item.iconPath = vscode.ThemeIcon.Folder;
	return item;
}

function threadItem(
	{ thread, pinned }: ListedThread,
	state: { readonly isWaiting: boolean; readonly failed: boolean },
): vscode.TreeItem {
	const { agent } = thread;
	const title = agent === undefined ? thread.title : t("Agent {0}: {1}", agent.name, thread.title);
	const item = new vscode.TreeItem(title);
	item.id = thread.threadId;
	const branch = thread.worktree?.branch;
	const age = describeAge(thread.updatedAt, Date.now());
	item.description = [branch, age].filter(Boolean).join(" · ");
	const place = thread.cwd === undefined ? "" : `\n${thread.cwd}`;
	item.tooltip = `${thread.title}\n${countOf(thread.turns, "{0} turn", "{0} turns")} · ${thread.model}${place}`;
	item.iconPath = new vscode.ThemeIcon(chooseThreadIcon({ ...state, running: thread.running, pinned }));
	const kind = thread.worktree === undefined ? "thread" : "thread worktree";
	item.contextValue = `${kind} ${pinned ? "pinned" : "loose"} ${thread.archived ? "archived" : "current"}`;
	item.command = { command: "vitrine.openThread", title: t("Open Thread"), arguments: [thread] };
	return item;
}
