import * as vscode from "vscode";
import { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { reviewKeep, reviewReject } from "../../../agent-host/protocol/thread/review.ts";
import { t } from "../../../l10n/t.ts";
import { fileUri } from "../../facts/file-uri.ts";
import { showInformation, showWarning } from "../../facts/show-message.ts";
import { isAt } from "../../review/pending-changes.ts";
import { type Parts, shownThread } from "../parts.ts";

type Judge = typeof reviewKeep | typeof reviewReject;

/** Changes of one thread, or of one file or some hunks in it. */
interface Chosen {
	readonly threadId: ThreadId;
	readonly path?: string;
	readonly hunks?: string[];
}

/** A file in a thread, from a button or a list. */
interface ChosenFile extends Chosen {
	readonly path: string;
}

export async function reviewChanges(parts: Parts, from?: unknown): Promise<void> {
	await parts.changes.refresh();
	return parts.reviewDiff.open(findThread(parts, from));
}

export async function keepAll(parts: Parts, from?: unknown): Promise<void> {
	await resolve(parts, reviewKeep, [{ threadId: findThread(parts, from) }]);
}

export async function rejectAll(parts: Parts, from?: unknown): Promise<void> {
	const threadId = findThread(parts, from);
	const { files = [] } = parts.changes.threads().find((one) => one.threadId === threadId) ?? {};
	if (files.length === 0) return void showInformation(t("No pending changes."));
	const names = files.map(({ path }) => vscode.workspace.asRelativePath(fileUri(path))).join(", ");
	const detail = t("Files: {0}. Your own edits are kept.", names);
	const question =
		threadId === parts.panel.threadId()
			? t("Reject all pending changes in this thread?")
			: t("Reject all pending changes of another thread?");
	const reject = t("Reject All");
	if ((await showWarning(question, { modal: true, detail }, reject)) !== reject) return;
	await resolve(parts, reviewReject, [{ threadId }]);
}

export async function keepFile(parts: Parts, ...chosen: readonly unknown[]): Promise<void> {
	await resolve(parts, reviewKeep, findFiles(parts, chosen));
	await tidyDiff(parts, chosen[0]);
}

export async function rejectFile(parts: Parts, ...chosen: readonly unknown[]): Promise<void> {
	await resolve(parts, reviewReject, findFiles(parts, chosen));
	await tidyDiff(parts, chosen[0]);
}

/** A button of the panel or a list keeps the focus; one of the diff gets the diff without what is done. */
async function tidyDiff({ reviewDiff }: Parts, from: unknown): Promise<void> {
	if (from === undefined || from instanceof vscode.Uri) await reviewDiff.tidy();
}

/** Each selected row in a tab of its own. A file of the editor that several threads have changed is opened once. */
export async function openFileChanges(parts: Parts, ...chosen: readonly unknown[]): Promise<void> {
	const found = findFiles(parts, chosen);
	const files = listRows(chosen).length > 1 ? found : found.slice(0, 1);
	for (const { threadId, path } of files)
		await parts.reviewDiff.openFile(threadId, path, files.length > 1 ? "stays" : "preview");
}

/** Keeps or rejects, and says what was left unchanged. */
export async function resolve(parts: Parts, method: Judge, chosen: readonly Chosen[]): Promise<void> {
	const left: string[] = [];
	for (const { threadId, path, hunks } of chosen) {
		const some = { ...(path === undefined ? {} : { path }), ...(hunks === undefined ? {} : { hunks }) };
		left.push(...(await parts.host.request(method, { threadId, ...some })).left);
	}
	await parts.changes.refresh();
	if (left.length > 0) void showWarning(t("Vitrine: {0}", left.join(" ")));
}

/**
 * The thread that a button is about: that of a group in the Source Control view, of a page, or of the diff. The palette
 * means the open one; if that has no changes, one that has.
 */
function findThread(parts: Parts, from: unknown): ThreadId {
	const { changes, panel, reviewDiff } = parts;
	const id = readField(from, "id") ?? (from instanceof vscode.Uri ? reviewDiff.threadId() : undefined);
	const meant = ThreadId.safeParse(id).data;
	if (meant !== undefined) return meant;
	const all = changes.threads().map(({ threadId }) => threadId);
	return all.find((threadId) => threadId === panel.threadId()) ?? all[0] ?? shownThread(parts);
}

/**
 * The files of a button or a list. Source Control passes all rows that are selected, of which the one that was pressed
 * need not be the first; the title of an editor passes its file, and what is no file after it.
 */
function findFiles(parts: Parts, chosen: readonly unknown[]): readonly ChosenFile[] {
	const rows = listRows(chosen);
	const found = (rows.length > 0 ? rows : [chosen[0]]).flatMap((from) => findFile(parts, from));
	if (found.length === 0) throw new Error(t("Open a file with pending changes first."));
	return found;
}

function listRows(chosen: readonly unknown[]): readonly unknown[] {
	return chosen.filter((one) => readField(one, "resourceUri") !== undefined);
}

/** The file of a button or a row; without one, that of the editor, in all threads that changed it. */
function findFile({ changes }: Parts, from: unknown): readonly ChosenFile[] {
	const uri = from instanceof vscode.Uri ? from : readField(from, "resourceUri");
	const path = readField(from, "path") ?? (uri instanceof vscode.Uri ? uri.fsPath : activePath());
	const place = vscode.Uri.file(String(path));
	const threadId = ThreadId.safeParse(readField(from, "threadId")).data;
	return changes
		.threads()
		.filter((one) => threadId === undefined || one.threadId === threadId)
		.flatMap((one) =>
			one.files.filter((file) => isAt(place, file.path)).map((file) => ({ threadId: one.threadId, path: file.path })),
		);
}

function readField(from: unknown, name: string): unknown {
	if (typeof from !== "object" || from === null || from instanceof vscode.Uri) return undefined;
	return name in from ? (from as Record<string, unknown>)[name] : undefined;
}

function activePath(): string {
	const uri = vscode.window.activeTextEditor?.document.uri;
	if (uri === undefined) throw new Error(t("Open a file with pending changes first."));
	return uri.fsPath;
}
