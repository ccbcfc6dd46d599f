import * as vscode from "vscode";
import { type ThreadSummary, threadArchive, threadDelete, threadRename } from "../../agent-host/protocol/thread.ts";
import { t } from "../../l10n/t.ts";
import type { Parts } from "./parts.ts";

export async function renameThread({ host }: Parts, thread: ThreadSummary): Promise<void> {
	const title = await vscode.window.showInputBox({
		title: t("Rename Thread"),
		value: thread.title,
		validateInput: (value) => (value.trim() === "" ? t("Enter a title.") : undefined),
	});
	if (title !== undefined) await host.request(threadRename, { threadId: thread.threadId, title });
}

export async function archiveThread({ host, panel }: Parts, thread: ThreadSummary): Promise<void> {
	await host.request(threadArchive, { threadId: thread.threadId, archived: true });
	if (panel.threadId() === thread.threadId) await panel.showThread(undefined);
}

export async function unarchiveThread({ host }: Parts, thread: ThreadSummary): Promise<void> {
	await host.request(threadArchive, { threadId: thread.threadId, archived: false });
}

export async function deleteThread({ host, panel, threads }: Parts, thread: ThreadSummary): Promise<void> {
	const detail = t("Its file is removed. This cannot be undone.");
	const question = t("Delete “{0}”?", thread.title);
	const remove = t("Delete");
	if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return;
	await host.request(threadDelete, { threadId: thread.threadId });
	threads.refresh();
	if (panel.threadId() === thread.threadId) await panel.showThread(undefined);
}
