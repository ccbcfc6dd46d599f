import * as vscode from "vscode";
import { agentsBelow } from "../../../agent-host/protocol/agent.ts";
import {
	type ThreadSummary,
	threadArchive,
	threadDelete,
	threadList,
	threadRead,
	threadRename,
} from "../../../agent-host/protocol/thread/thread.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { showWarning } from "../../facts/show-message.ts";
import { MAX_LISTED } from "../../views/threads/threads-view.ts";
import { type Parts, shownThread } from "../parts.ts";

type Named = Pick<ThreadSummary, "threadId" | "title">;

export async function renameThread({ host }: Parts, thread: Named): Promise<void> {
	const title = await vscode.window.showInputBox({
		title: t("Rename Thread"),
		value: thread.title,
		validateInput: (value) => (value.trim() === "" ? t("Enter a title.") : undefined),
	});
	if (title !== undefined) await host.request(threadRename, { threadId: thread.threadId, title });
}

export async function renameShownThread(parts: Parts): Promise<void> {
	const threadId = shownThread(parts);
	const { title } = await parts.host.request(threadRead, { threadId, limit: 1 });
	await renameThread(parts, { threadId, title });
}

export async function archiveThread({ host, panel }: Parts, thread: ThreadSummary): Promise<void> {
	await host.request(threadArchive, { threadId: thread.threadId, archived: true });
	await panel.leave(thread.threadId);
}

export async function unarchiveThread({ host }: Parts, thread: ThreadSummary): Promise<void> {
	await host.request(threadArchive, { threadId: thread.threadId, archived: false });
}

async function listAll(host: Parts["host"]): Promise<readonly ThreadSummary[]> {
	const [current, archived] = await Promise.all(
		[false, true].map((which) => host.request(threadList, { limit: MAX_LISTED, archived: which })),
	);
	return [...(current?.threads ?? []), ...(archived?.threads ?? [])];
}

export async function deleteThread({ host, panel, plans, threads }: Parts, thread: ThreadSummary): Promise<void> {
	const agents = agentsBelow(await listAll(host), thread.threadId).length;
	const detail =
		agents === 0
			? t("This deletes its file and can't be undone.")
			: countOf(
					agents,
					"This deletes its file and the thread of {0} sub-agent, and can't be undone.",
					"This deletes its file and the threads of {0} sub-agents, and can't be undone.",
				);
	const question = t("Delete “{0}”?", thread.title);
	const remove = t("Delete");
	if ((await showWarning(question, { modal: true, detail }, remove)) !== remove) return;
	await host.request(threadDelete, { threadId: thread.threadId });
	await plans.remove(thread.threadId);
	threads.refresh();
	await panel.leave(thread.threadId);
}
