import * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { reviewBase } from "../../agent-host/protocol/thread/review.ts";
import { fileUri } from "../facts/file-uri.ts";
import type { HostClient } from "../host/host-client.ts";
import { isAt, type PendingChanges } from "./pending-changes.ts";

const BASE_SCHEME = "vitrine-base";

/** The address of a file without the pending changes of a thread. */
export function baseUri(path: string, threadId: ThreadId): vscode.Uri {
	return fileUri(path).with({ scheme: BASE_SCHEME, query: threadId });
}

/** Serves files without their pending changes. */
export function createBaseDocuments(host: HostClient, changes: PendingChanges): vscode.Disposable {
	const baseChanged = new vscode.EventEmitter<vscode.Uri>();
	return vscode.Disposable.from(
		baseChanged,
		vscode.workspace.registerTextDocumentContentProvider(BASE_SCHEME, {
			onDidChange: baseChanged.event,
			provideTextDocumentContent: async ({ path, query }) => {
				const threadId = ThreadId.safeParse(query);
				if (!threadId.success) return "";
				const params = { threadId: threadId.data, path: findPath(changes, threadId.data, vscode.Uri.file(path)) };
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
	);
}

/** As the host writes it. */
function findPath(changes: PendingChanges, threadId: ThreadId, uri: vscode.Uri): string {
	const files = changes.threads().find((one) => one.threadId === threadId)?.files;
	return files?.find(({ path }) => isAt(uri, path))?.path ?? uri.fsPath;
}
