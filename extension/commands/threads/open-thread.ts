import * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { type ThreadSummary, threadClose } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";
import { isFolderOpen } from "../../facts/folders.ts";
import { showInformation } from "../../facts/show-message.ts";
import { handThread } from "../../panel/handed-thread.ts";
import { findHome } from "../../views/threads/thread-groups.ts";
import { type Parts, shownThread } from "../parts.ts";

type Opened = Pick<ThreadSummary, "threadId" | "title" | "cwd" | "worktree">;

/** Opens a thread. One of a folder that is not open here is read-only here, so the user chooses where. */
export async function openThread(parts: Parts, thread: Opened): Promise<void> {
	const { threadId, title } = thread;
	const cwd = findHome(thread);
	if (cwd === undefined || isFolderOpen(cwd)) return parts.panel.showThread(threadId);
	const [there, here] = [t("Open Folder in New Window"), t("Read Here")];
	const question = t("“{0}” works in a folder that is not open in this window.", title);
	const detail = t("{0}\n\nHere the thread can only read.", cwd);
	const answer = await showInformation(question, { modal: true, detail }, there, here);
	if (answer === here) await parts.panel.showThread(threadId);
	else if (answer === there) await openElsewhere(parts, threadId, cwd);
}

/** Opens a thread in an editor tab of its own, beside the one in the chat's view. */
export async function openThreadInEditor({ panel }: Parts, { threadId, title }: Opened): Promise<void> {
	panel.openInTab(threadId, title);
}

/** Opens the folder of the shown thread in a new window, with the thread. */
export async function openThreadFolder(parts: Parts): Promise<void> {
	const cwd = parts.policy.current()?.cwd;
	if (cwd !== undefined) await openElsewhere(parts, shownThread(parts), cwd);
}

async function openElsewhere({ host, memory, panel }: Parts, threadId: ThreadId, folder: string): Promise<void> {
	// A thread belongs to one window at a time.
	await panel.leave(threadId);
	await host.request(threadClose, { threadId });
	await handThread(memory, { threadId, folder });
	await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), { forceNewWindow: true });
}
