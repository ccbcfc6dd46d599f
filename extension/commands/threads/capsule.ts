import * as vscode from "vscode";
import { threadExport, threadRead, threadReplay } from "../../../agent-host/protocol/thread/thread.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { showInformation, showWarning } from "../../facts/show-message.ts";
import { requestLong } from "../../host/long-request.ts";
import { type Parts, shownThread } from "../parts.ts";

/** A capsule is a thread's records with everything they refer to: enough to rebuild each of its requests. */
const filters = () => ({ [t("Reproducible thread")]: ["jsonl"] });

export async function exportCapsule(parts: Parts): Promise<void> {
	const threadId = shownThread(parts);
	const { title } = await parts.host.request(threadRead, { threadId, limit: 1 });
	const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40);
	const [folder] = vscode.workspace.workspaceFolders ?? [];
	const target = await vscode.window.showSaveDialog({
		title: t("Export Reproducible Thread"),
		filters: filters(),
		...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder.uri, `${name}.capsule.jsonl`) }),
	});
	if (target === undefined) return;
	const { text } = await requestLong(parts.host, t("Exporting the thread"), threadExport, {
		threadId,
		format: "records",
	});
	await vscode.workspace.fs.writeFile(target, Buffer.from(text));
}

/**
 * Rebuilds every request in a capsule and says whether each matches the sent one. Nothing is stored and no model is
 * called.
 */
export async function replayCapsule({ host }: Parts): Promise<void> {
	const title = t("Verify Exported Thread");
	const [source] = (await vscode.window.showOpenDialog({ title, filters: filters() })) ?? [];
	if (source === undefined) return;
	const text = Buffer.from(await vscode.workspace.fs.readFile(source)).toString("utf8");
	const { same, difference } = await requestLong(host, t("Verifying the exported thread"), threadReplay, { text });
	if (difference === undefined) {
		const words = countOf(same, "{0} request reproduced identically.", "{0} requests reproduced identically.");
		void showInformation(t("Vitrine: {0}", words));
		return;
	}
	const { request, parts } = difference;
	const words = t("Request {0} differs in: {1}", request, parts.join(", "));
	void showWarning(t("Vitrine: {0}", words));
}
