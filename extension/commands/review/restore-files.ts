import * as vscode from "vscode";
import type { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import { threadRestore, threadRestoreRedo } from "../../../agent-host/protocol/thread/review.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import { fileUri } from "../../facts/file-uri.ts";
import { onceAtATime } from "../../facts/once-at-a-time.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { showError, showInformation, showWarning } from "../../facts/show-message.ts";
import { describeFailure } from "../../host/call.ts";
import { readEvents } from "../../panel/thread-feed.ts";
import { type Parts, shownThread } from "../parts.ts";
import { describeAgentsLeft, describeRestore } from "./restore-words.ts";

type What = "files" | "conversation" | "both";

const CHOICES: readonly { readonly what: What; readonly label: Message; readonly detail: Message }[] = [
	{ what: "both", label: "Files and conversation", detail: "As if the prompt was never sent" },
	{ what: "files", label: "Files only", detail: "The conversation is not changed" },
	{ what: "conversation", label: "Conversation only", detail: "Files are not changed" },
];

/** Asks what to restore to before a turn, previews it, and restores it. */
export async function restoreTo(parts: Parts, threadId: ThreadId, turnId: TurnId): Promise<void> {
	const choices = CHOICES.map(({ what, label, detail }) => ({ what, label: t(label), detail: t(detail) }));
	const picked = await vscode.window.showQuickPick(choices, { title: t("Restore to Before This Prompt") });
	if (picked !== undefined) await restore(parts, { threadId, turnId, what: picked.what });
}

export function undoFiles(parts: Parts, threadId: ThreadId, turnId: TurnId): Promise<void> {
	return restore(parts, { threadId, turnId, what: "files" });
}

/** Picks a prompt of the thread, newest first, and restores to before it. */
export async function restoreCheckpoint(parts: Parts): Promise<void> {
	const threadId = shownThread(parts);
	const prompts = (await readEvents(parts.host, threadId)).flatMap(({ event }) => {
		if (event.type !== "itemCompleted" || event.item.kind !== "userMessage") return [];
		return event.item.messageKind === "plain"
			? [{ label: withoutIcons(event.item.text.slice(0, 100)), turnId: event.turnId }]
			: [];
	});
	const picked = await vscode.window.showQuickPick(prompts.toReversed(), {
		title: t("Restore to before which prompt?"),
	});
	if (picked !== undefined) await restoreTo(parts, threadId, picked.turnId);
}

export function redoRestore(parts: Parts): Promise<void> {
	return redoIn(parts, shownThread(parts));
}

/** The second of two presses would undo the restore before this one. */
function redoIn(parts: Parts, threadId: ThreadId): Promise<void> {
	return onceAtATime(`redo ${threadId}`, () => redo(parts, threadId));
}

async function redo({ host }: Parts, threadId: ThreadId): Promise<void> {
	const preview = await host.request(threadRestoreRedo, { threadId, preview: true });
	const overwrite = await confirm(t("Undo the last restore?"), t("Undo"), preview);
	if (overwrite !== undefined) await host.request(threadRestoreRedo, { threadId, overwrite });
}

async function restore(
	parts: Parts,
	target: { readonly threadId: ThreadId; readonly turnId: TurnId; readonly what: What },
): Promise<void> {
	const preview = await parts.host.request(threadRestore, { ...target, preview: true });
	if (preview.turns === 0 && preview.files.length === 0) {
		const { agents } = preview;
		void showInformation(
			agents.length > 0 ? describeAgentsLeft(agents) : t("No files have changed since that prompt."),
		);
		return;
	}
	const overwrite = await confirm(t("Restore to before this prompt?"), t("Restore"), preview);
	if (overwrite === undefined) return;
	const { files, unsaved } = await parts.host.request(threadRestore, { ...target, overwrite });
	const restored = files.filter(({ state }) => state === "restored").length;
	if (restored === 0) return;
	const note = unsaved.length === 0 ? "" : ` ${t("{0} of them are unsaved in the editor.", unsaved.length)}`;
	void offerRedo(parts, target.threadId, countOf(restored, "{0} file restored.", "{0} files restored.") + note);
}

/** The restore is done, so nothing waits for this answer. */
async function offerRedo(parts: Parts, threadId: ThreadId, said: string): Promise<void> {
	const redo = t("Undo");
	if ((await showInformation(said, redo)) !== redo) return;
	await redoIn(parts, threadId).catch((error: unknown) => showError(describeFailure(error)));
}

/**
 * Conflicting files to restore anyway; undefined if the user cancels. Without files nothing is asked: the conversation
 * shows what happened, and that it can be undone.
 */
async function confirm(
	question: string,
	act: string,
	preview: ResultOf<typeof threadRestore>,
): Promise<string[] | undefined> {
	if (preview.files.length === 0 && preview.agents.length === 0) return [];
	const conflicts = preview.files.flatMap(({ path, state }) => (state === "conflict" ? [path] : []));
	const detail = describeRestore(preview, (path) => vscode.workspace.asRelativePath(fileUri(path)));
	const all = t("Overwrite Those Too");
	const choices = conflicts.length === 0 ? [act] : [act, all];
	const answer = await showWarning(question, { modal: true, detail }, ...choices);
	if (answer === undefined) return undefined;
	return answer === all ? conflicts : [];
}
