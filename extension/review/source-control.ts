import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ReviewedFile } from "../../agent-host/protocol/thread/review.ts";
import { threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { t } from "../../l10n/t.ts";
import { fileUri } from "../facts/file-uri.ts";
import type { HostClient } from "../host/host-client.ts";
import { baseUri } from "./base-documents.ts";
import { describeHunk } from "./hunk-words.ts";
import { isAt, type PendingChanges } from "./pending-changes.ts";

/** A file in the list, for the commands on it. */
export interface ChangedResource extends vscode.SourceControlResourceState {
	readonly threadId: ThreadId;
}

/**
 * The pending changes of all threads in the Source Control view, one group for each thread, and their removed lines in
 * the gutter of every editor. Exists only while there are any.
 */
export function createChangesControl(
	host: Pick<HostClient, "request" | "onThreadEvent">,
	changes: PendingChanges,
): vscode.Disposable {
	let control: vscode.SourceControl | undefined;
	const groups = new Map<ThreadId, vscode.SourceControlResourceGroup>();
	const clear = (): void => {
		for (const group of groups.values()) group.dispose();
		groups.clear();
		control?.dispose();
		control = undefined;
	};
	const begin = (): vscode.SourceControl => {
		const made = vscode.scm.createSourceControl("vitrine", t("Vitrine: Pending Changes"));
		made.inputBox.visible = false;
		made.quickDiffProvider = {
			provideOriginalResource: (uri) => {
				const of = changes.threads().find(({ files }) => files.some((file) => isChangedAt(file, uri)));
				return of === undefined ? undefined : baseUri(uri.fsPath, of.threadId);
			},
		};
		return made;
	};
	const groupFor = (made: vscode.SourceControl, threadId: ThreadId): vscode.SourceControlResourceGroup => {
		const known = groups.get(threadId);
		if (known !== undefined) return known;
		const group = made.createResourceGroup(threadId, t("Thread"));
		group.hideWhenEmpty = true;
		groups.set(threadId, group);
		void readTitle(host, threadId).then((title) => {
			if (groups.get(threadId) === group) group.label = title;
		});
		return group;
	};
	const draw = (): void => {
		const threads = changes.threads();
		if (threads.length === 0) {
			clear();
			return;
		}
		control ??= begin();
		const made = control;
		for (const [threadId, group] of groups) {
			if (threads.some((one) => one.threadId === threadId)) continue;
			group.dispose();
			groups.delete(threadId);
		}
		for (const { threadId, files } of threads) {
			groupFor(made, threadId).resourceStates = files.map((file) => asResource(threadId, file));
		}
		made.count = threads.reduce((sum, { files }) => sum + files.length, 0);
	};
	const rename = host.onThreadEvent(({ threadId, event }) => {
		const group = groups.get(threadId);
		if (group !== undefined && event.type === "titleChanged") group.label = event.title;
	});
	return vscode.Disposable.from(changes.onDidChange(draw), rename, { dispose: clear });
}

function isChangedAt({ path, operation, stale }: ReviewedFile, uri: vscode.Uri): boolean {
	return operation === "update" && stale === undefined && isAt(uri, path);
}

async function readTitle(host: Pick<HostClient, "request">, threadId: ThreadId): Promise<string> {
	return host.request(threadRead, { threadId, limit: 1 }).then(
		({ title }) => title,
		() => t("Thread"),
	);
}

function asResource(threadId: ThreadId, file: ReviewedFile): ChangedResource {
	const { path, operation, hunks, stale } = file;
	const all = {
		state: "pending",
		added: hunks.flatMap((one) => one.added),
		removed: hunks.flatMap((one) => one.removed),
	} as const;
	return {
		threadId,
		resourceUri: fileUri(path),
		contextValue: stale === undefined ? "change" : "stale",
		command: { title: t("Open"), command: "vitrine.openFileChanges", arguments: [{ threadId, path }] },
		decorations: { tooltip: stale ?? describeHunk(all, file), strikeThrough: operation === "delete" },
	};
}
