import * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { reviewBase } from "../../agent-host/protocol/thread/review.ts";
import { t } from "../../l10n/t.ts";
import type { HostClient } from "../host/host-client.ts";
import { createHunkComments, type HunkComments } from "./hunk-comments.ts";
import type { PendingChanges } from "./pending-changes.ts";

/** The multi-diff editor with all pending changes of a thread, each file compared with its version without them. */
export interface ReviewDiff extends vscode.Disposable {
	readonly open: (threadId: ThreadId) => Promise<void>;
	readonly comments: HunkComments;
}

const BASE_SCHEME = "vitrine-base";
const TITLE = "Vitrine: Pending Changes";

export function createReviewDiff(host: HostClient, changes: PendingChanges): ReviewDiff {
	const baseChanged = new vscode.EventEmitter<vscode.Uri>();
	const comments = createHunkComments(changes, () => tabs().some(({ label }) => label.startsWith(t(TITLE))));
	const disposables = [
		comments,
		baseChanged,
		vscode.workspace.registerTextDocumentContentProvider(BASE_SCHEME, {
			onDidChange: baseChanged.event,
			provideTextDocumentContent: async ({ path, query }) => {
				const threadId = ThreadId.safeParse(query);
				if (!threadId.success) return "";
				const params = { threadId: threadId.data, path: vscode.Uri.file(path).fsPath };
				// A file without pending changes is its own base.
				return host.request(reviewBase, params).then(
					({ text }) => text ?? "",
					async () => (await vscode.workspace.openTextDocument(params.path)).getText(),
				);
			},
		}),
		changes.onDidChange(() => {
			for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === BASE_SCHEME) baseChanged.fire(uri);
		}),
	];
	return {
		comments,
		open: async (threadId) => {
			await changes.refresh();
			const files = changes.files().filter(({ stale }) => stale === undefined);
			if (files.length === 0) {
				void vscode.window.showInformationMessage(t("No pending changes."));
				return;
			}
			comments.show();
			const resources = files.map(({ path, operation }) => {
				const file = vscode.Uri.file(path);
				const base = file.with({ scheme: BASE_SCHEME, query: threadId });
				return [file, operation === "add" ? undefined : base, operation === "delete" ? undefined : file];
			});
			await vscode.commands.executeCommand("vscode.changes", t(TITLE), resources);
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

function tabs(): readonly vscode.Tab[] {
	return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}
