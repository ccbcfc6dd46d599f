import * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import {
	type ThreadSummary,
	threadExport,
	threadImport,
	threadRead,
	threadRepair,
	threadVerify,
} from "../../../agent-host/protocol/thread/thread.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { showInformation, showWarning } from "../../facts/show-message.ts";
import { requestLong } from "../../host/long-request.ts";
import { type Parts, shownThread } from "../parts.ts";

/** Saves a thread as Markdown, or as records that can be imported, depending on the file extension. */
export async function exportThread({ host, panel }: Parts, thread?: ThreadSummary): Promise<void> {
	const threadId = thread?.threadId ?? panel.threadId();
	if (threadId === undefined) throw new Error(t("No thread to export yet. Send a prompt first."));
	const filters = { [t("Vitrine thread")]: ["jsonl"], Markdown: ["md"] };
	const target = await vscode.window.showSaveDialog({ title: t("Export Thread"), filters });
	if (target === undefined) return;
	const format = target.path.endsWith(".md") ? "markdown" : "records";
	const { text } = await requestLong(host, t("Exporting the thread"), threadExport, { threadId, format });
	await vscode.workspace.fs.writeFile(target, Buffer.from(text));
}

export async function importThread({ host, panel, threads }: Parts): Promise<void> {
	const filters = { [t("Thread of Vitrine, Codex or Claude Code")]: ["jsonl"] };
	const [source] = (await vscode.window.showOpenDialog({ title: t("Import Thread"), filters })) ?? [];
	if (source === undefined) return;
	const text = Buffer.from(await vscode.workspace.fs.readFile(source)).toString("utf8");
	const { threadId } = await host.request(threadImport, { text });
	threads.refresh();
	await panel.showThread(threadId);
}

/** Opens the thread as a Markdown document, with its prompts as the outline. */
export async function openThreadAsDocument(parts: Parts, thread?: ThreadSummary): Promise<void> {
	const threadId = thread?.threadId ?? shownThread(parts);
	const { title } = await parts.host.request(threadRead, { threadId, limit: 1 });
	await parts.documents.open({ kind: "thread", threadId, title });
}

/** Verifies every record of every thread and offers to repair damaged ones. */
export async function verifyHistory(parts: Parts): Promise<void> {
	const { threads, verified, problems } = await requestLong(parts.host, t("Verifying threads"), threadVerify, {});
	const counts = t("{0}, {1} verified.", countOf(threads, "{0} thread", "{0} threads"), verified);
	for (const { threadId, problem } of problems) parts.log.warn(`Thread ${threadId}: ${problem}.`);
	if (problems.length === 0) {
		void showInformation(t("Vitrine: {0}", counts));
		return;
	}
	const [repair, showLog] = [t("Repair"), t("Show Log")];
	const words = t("{0} See the log for the others.", counts);
	const answer = await showWarning(words, repair, showLog);
	if (answer === showLog) parts.log.show();
	if (answer === repair)
		await repairThreads(
			parts,
			problems.map(({ threadId }) => threadId),
		);
}

/** Verifies all threads and repairs damaged ones without asking. */
export async function repairHistory(parts: Parts): Promise<void> {
	const { problems } = await requestLong(parts.host, t("Verifying threads"), threadVerify, {});
	if (problems.length === 0) void showInformation(t("Nothing to repair."));
	else
		await repairThreads(
			parts,
			problems.map(({ threadId }) => threadId),
		);
}

async function repairThreads({ host, log, threads }: Parts, ids: readonly ThreadId[]): Promise<void> {
	let leftOut = 0;
	for (const threadId of ids) leftOut += (await host.request(threadRepair, { threadId })).leftOut;
	threads.refresh();
	log.info(`${ids.length} threads were repaired; the files as they were are kept beside them.`);
	const one = "Removed {0} unreadable record. The original files were kept.";
	const more = "Removed {0} unreadable records. The original files were kept.";
	void showInformation(countOf(leftOut, one, more));
}
