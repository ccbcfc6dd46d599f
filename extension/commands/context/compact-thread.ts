import * as vscode from "vscode";
import { MAX_FOCUS_CHARS } from "../../../agent-host/protocol/limits.ts";
import { threadCompact, threadCompactUndo } from "../../../agent-host/protocol/thread/compaction.ts";
import { t } from "../../../l10n/t.ts";
import { CHAT_VIEW } from "../../panel/chat-places.ts";
import { type Parts, shownThread } from "../parts.ts";

/** Compacts the thread. If a turn is running, this happens in it at the next step. */
export async function compact(parts: Parts): Promise<void> {
	const threadId = shownThread(parts);
	await withProgress(() => parts.host.request(threadCompact, { threadId }));
}

/** Previews a compaction with an editable summary; nothing changes until it is applied. */
export async function compactWithPreview(parts: Parts): Promise<void> {
	const threadId = shownThread(parts);
	const focus = await vscode.window.showInputBox({
		title: t("Compact Conversation with Preview"),
		prompt: t("Anything the summary should focus on? (optional)"),
		validateInput: (value) =>
			value.length > MAX_FOCUS_CHARS ? t("Up to {0} characters.", MAX_FOCUS_CHARS) : undefined,
	});
	if (focus === undefined) return;
	const about = focus.trim() === "" ? {} : { focus: focus.trim() };
	const asked = await withProgress(() => parts.host.request(threadCompact, { threadId, preview: true, ...about }));
	if (asked.preview !== undefined) await parts.preview.open(asked.compactionId, asked.preview);
}

export async function undoCompaction(parts: Parts): Promise<void> {
	await parts.host.request(threadCompactUndo, { threadId: shownThread(parts) });
}

function withProgress<T>(work: () => Promise<T>): Thenable<T> {
	return vscode.window.withProgress({ location: { viewId: CHAT_VIEW } }, work);
}
