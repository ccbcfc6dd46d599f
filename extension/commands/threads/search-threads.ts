import * as vscode from "vscode";
import { type ThreadSummary, threadList, threadSearch } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { describeFailure } from "../../host/call.ts";
import { createNewestRequest } from "../../host/newest-request.ts";
import { describeAge } from "../../views/threads/thread-groups.ts";
import type { Parts } from "../parts.ts";
import { openThread } from "./open-thread.ts";

const RECENT = 30;
/** Delay after a key press before searching. */
const PAUSE_MS = 120;

type Row = vscode.QuickPickItem & { readonly thread?: ThreadSummary };

/** Searches threads by their messages, and opens the chosen one. */
export async function searchThreads(parts: Parts): Promise<void> {
	const { host } = parts;
	const pick = vscode.window.createQuickPick<Row>();
	pick.title = t("Search Threads");
	pick.placeholder = t("Search prompts and answers");
	const newest = createNewestRequest(() => new vscode.CancellationTokenSource());
	let timer: NodeJS.Timeout | undefined;
	const find = async (query: string): Promise<void> => {
		const token = newest.begin();
		pick.busy = true;
		const rows = await (query === "" ? recent(token) : matching(query, token)).catch((error: unknown) => [
			toNoteRow(describeFailure(error)),
		]);
		if (token.isCancellationRequested) return;
		pick.busy = false;
		pick.items = rows.length === 0 ? [toNoteRow(t("No matching threads"))] : rows;
	};
	const recent = async (token: vscode.CancellationToken) =>
		(await host.request(threadList, { limit: RECENT }, { token })).threads.map((thread) => asRow(thread));
	const matching = async (query: string, token: vscode.CancellationToken) =>
		(await host.request(threadSearch, { query }, { token })).threads.map((thread) => asRow(thread, thread.found));
	pick.onDidChangeValue((value) => {
		clearTimeout(timer);
		timer = setTimeout(() => void find(value.trim()), PAUSE_MS);
	});
	const chosen = new Promise<ThreadSummary | undefined>((resolve) => {
		pick.onDidAccept(() => resolve(pick.selectedItems[0]?.thread));
		pick.onDidHide(() => resolve(undefined));
	});
	pick.show();
	void find("");
	const thread = await chosen;
	clearTimeout(timer);
	newest.end();
	pick.dispose();
	if (thread !== undefined) await openThread(parts, thread);
}

// The host has filtered already; the picker's own filter, which looks at titles only, must not hide any.
function asRow(thread: ThreadSummary, found?: string): Row {
	return {
		label: withoutIcons(thread.title),
		description: [describeAge(thread.updatedAt, Date.now()), thread.model].filter(Boolean).join(" · "),
		detail: withoutIcons(found ?? thread.preview),
		alwaysShow: true,
		thread,
	};
}

function toNoteRow(label: string): Row {
	return { label, alwaysShow: true };
}
