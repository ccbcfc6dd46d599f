import * as vscode from "vscode";
import * as z from "zod";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ReviewedFile } from "../../agent-host/protocol/thread/review.ts";
import { t } from "../../l10n/t.ts";
import { fileUri } from "../facts/file-uri.ts";
import { showInformation } from "../facts/show-message.ts";
import { baseUri } from "./base-documents.ts";
import { createHunkComments, type HunkComments } from "./hunk-comments.ts";
import type { PendingChanges } from "./pending-changes.ts";

/** Pending changes of a thread as diffs, each file compared with its version without them. */
export interface ReviewDiff extends vscode.Disposable {
	/** All of them, in a multi-diff editor. */
	readonly open: (threadId: ThreadId) => Promise<void>;
	/** After a verdict in it: opens it again without the files that have no change left, which it would show empty. */
	readonly tidy: () => Promise<void>;
	/** Those of one file, in a tab that stays or in the one that the next file takes over. */
	readonly openFile: (threadId: ThreadId, path: string, tab: "stays" | "preview") => Promise<void>;
	/** The thread of the multi-diff editor, which may be another one than the open thread. */
	readonly threadId: () => ThreadId | undefined;
	readonly comments: HunkComments;
}

const TITLE = "Vitrine: Pending Changes";
const MEMORY_KEY = "vitrine.reviewDiff";

/** What the multi-diff editor was last opened with. */
const Shown = z.object({ threadId: ThreadId, paths: z.array(z.string()).readonly() });

/** `memory` outlives the window: after a reload the editor shows the diff again. */
export function createReviewDiff(changes: PendingChanges, memory: vscode.Memento): ReviewDiff {
	const comments = createHunkComments(changes);
	/** The multi-diff editor keeps every file until it is closed. */
	let shown = Shown.safeParse(memory.get(MEMORY_KEY)).data;
	const note = (next: typeof shown): void => {
		shown = next;
		void memory.update(MEMORY_KEY, next);
	};
	const isOurs = (tab: vscode.Tab | undefined): boolean => tab?.label.startsWith(t(TITLE)) ?? false;
	const findTabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isOurs);
	const filesOf = (threadId: ThreadId): readonly ReviewedFile[] => {
		const all = changes.threads().find((one) => one.threadId === threadId)?.files ?? [];
		return all.filter(({ stale }) => stale === undefined);
	};
	/** The buttons in the title of the multi-diff editor appear only in ours. */
	const updateContext = (): void => {
		const isHere = isOurs(vscode.window.tabGroups.activeTabGroup.activeTab);
		void vscode.commands.executeCommand("setContext", "vitrine.reviewHere", isHere && changes.threads().length > 0);
	};
	/** Once all of it is judged, wherever that was done. The focus stays where it is. */
	const closeIfDone = (): void => {
		const [tab] = findTabs();
		const isOpen = (threadId: ThreadId) => changes.threads().some((one) => one.threadId === threadId);
		if (shown === undefined || tab === undefined || !changes.isKnown() || isOpen(shown.threadId)) return;
		note(undefined);
		void vscode.window.tabGroups.close(tab, true);
	};
	const open = async (threadId: ThreadId, files: readonly ReviewedFile[]): Promise<void> => {
		note({ threadId, paths: files.map(({ path }) => path) });
		const resources = files.map((file) => [fileUri(file.path), ...findSides(file, threadId)]);
		const before = findTabs();
		await vscode.commands.executeCommand("vscode.changes", t(TITLE), resources);
		// One at a time: a tab does not tell whose changes it shows. As a preview it has taken the place of the old one.
		const left = findTabs().filter((tab) => before.includes(tab));
		if (left.length > 0) await vscode.window.tabGroups.close(left, true);
	};
	const disposables = [
		comments,
		vscode.window.tabGroups.onDidChangeTabs(updateContext),
		vscode.window.tabGroups.onDidChangeTabGroups(updateContext),
		changes.onDidChange(updateContext),
		changes.onDidChange(closeIfDone),
	];
	const listFiles = async (threadId: ThreadId): Promise<readonly ReviewedFile[]> => {
		await changes.refresh();
		const files = filesOf(threadId);
		if (files.length === 0) void showInformation(t("No pending changes."));
		return files;
	};
	return {
		comments,
		threadId: () => shown?.threadId,
		open: async (threadId) => {
			const files = await listFiles(threadId);
			if (files.length > 0) await open(threadId, files);
		},
		tidy: async () => {
			if (shown === undefined || !isOurs(vscode.window.tabGroups.activeTabGroup.activeTab)) return;
			const { threadId, paths } = shown;
			const files = filesOf(threadId);
			if (files.length === 0 || paths.every((path) => files.some((file) => file.path === path))) return;
			await open(threadId, files);
		},
		openFile: async (threadId, path, tab) => {
			const file = (await listFiles(threadId)).find((one) => one.path === path);
			if (file === undefined) return;
			const [base, now] = findSides(file, threadId);
			const options: vscode.TextDocumentShowOptions = { preview: tab === "preview" };
			if (base === undefined || now === undefined) {
				await vscode.commands.executeCommand("vscode.open", base ?? now, options);
				return;
			}
			const name = t("{0} (pending changes)", vscode.workspace.asRelativePath(fileUri(path)));
			await vscode.commands.executeCommand("vscode.diff", base, now, name, options);
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

/** A file without the changes, and as it is; undefined if there is none. */
function findSides({ path, operation }: ReviewedFile, threadId: ThreadId): readonly (vscode.Uri | undefined)[] {
	return [
		operation === "add" ? undefined : baseUri(path, threadId),
		operation === "delete" ? undefined : fileUri(path),
	];
}
