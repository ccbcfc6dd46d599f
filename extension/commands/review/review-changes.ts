import * as vscode from "vscode";
import { reviewComment, reviewKeep, reviewReject } from "../../../agent-host/protocol/thread/review.ts";
import { t } from "../../../l10n/t.ts";
import { toRange } from "../../review/hunk-marks.ts";
import { type Parts, shownThread } from "../parts.ts";

type Judge = typeof reviewKeep | typeof reviewReject;

export function reviewChanges(parts: Parts): Promise<void> {
	return parts.reviewDiff.open(shownThread(parts));
}

export function keepAll(parts: Parts): Promise<void> {
	return resolveHunks(parts, reviewKeep, {});
}

export async function rejectAll(parts: Parts): Promise<void> {
	const files = parts.changes.files();
	const names = files.map(({ path }) => vscode.workspace.asRelativePath(path)).join(", ");
	const detail = t("Files: {0}. Your own edits are kept.", names);
	const question = t("Reject all pending changes in this thread?");
	const reject = t("Reject All");
	if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, reject)) !== reject) return;
	await resolveHunks(parts, reviewReject, {});
}

export function keepFile(parts: Parts): Promise<void> {
	return resolveHunks(parts, reviewKeep, { path: activePath() });
}

export function rejectFile(parts: Parts): Promise<void> {
	return resolveHunks(parts, reviewReject, { path: activePath() });
}

/** Commands on one hunk: that of the button, or the one at the cursor. */
export const HUNK_COMMANDS: Readonly<Record<string, (parts: Parts, hunk: string, said?: string) => Promise<void>>> = {
	"vitrine.keepHunk": (parts, hunk) => resolveHunks(parts, reviewKeep, { hunks: [hunk] }),
	"vitrine.rejectHunk": (parts, hunk) => resolveHunks(parts, reviewReject, { hunks: [hunk] }),
	"vitrine.commentHunk": async (parts, hunk, said) => {
		const text = said ?? (await askForComment());
		if (text === undefined || text.trim() === "") return;
		await parts.host.request(reviewComment, { threadId: shownThread(parts), hunk, text });
		void vscode.window.setStatusBarMessage(t("Your comment goes with your next message."), STATUS_MS);
	},
};

/**
 * Finds the hunk from a button's argument: an id, a comment thread, or a reply. Without one, the hunk at the cursor.
 */
export function hunkFrom({ changes, reviewDiff }: Parts, from: unknown): { hunk: string; said?: string } | undefined {
	if (typeof from === "string") return { hunk: from };
	const reply = isReply(from) ? from : undefined;
	const hunk = reviewDiff.comments.hunkOf(reply?.thread ?? from);
	if (hunk !== undefined) return reply === undefined ? { hunk } : { hunk, said: reply.text };
	const editor = vscode.window.activeTextEditor;
	if (editor === undefined) return undefined;
	const line = editor.selection.active.line;
	const here = changes.hunksOf(editor.document.uri).find((one) => {
		const { start, end } = toRange(editor.document, one);
		return start.line <= line && line <= end.line;
	});
	return here === undefined ? undefined : { hunk: here.id };
}

export function nextChange(parts: Parts): void {
	jumpTo(parts, (lines, cursor) => lines.find((line) => line > cursor) ?? lines[0]);
}

export function previousChange(parts: Parts): void {
	jumpTo(parts, (lines, cursor) => lines.findLast((line) => line < cursor) ?? lines.at(-1));
}

const STATUS_MS = 4_000;

async function resolveHunks(
	parts: Parts,
	method: Judge,
	chosen: { readonly hunks?: string[]; readonly path?: string },
): Promise<void> {
	const { left } = await parts.host.request(method, { threadId: shownThread(parts), ...chosen });
	await parts.changes.refresh();
	if (left.length > 0) void vscode.window.showWarningMessage(t("Vitrine: {0}", left.join(" ")));
}

function askForComment(): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title: t("Comment on This Change"),
		prompt: t("Your comment goes with your next message."),
	});
}

function isReply(from: unknown): from is vscode.CommentReply {
	return typeof from === "object" && from !== null && "thread" in from && "text" in from;
}

function activePath(): string {
	const uri = vscode.window.activeTextEditor?.document.uri;
	if (uri?.scheme !== "file") throw new Error(t("Open a file with pending changes first."));
	return uri.fsPath;
}

function jumpTo({ changes }: Parts, choose: (lines: readonly number[], cursor: number) => number | undefined): void {
	const editor = vscode.window.activeTextEditor;
	if (editor === undefined) return;
	const lines = changes.hunksOf(editor.document.uri).map((hunk) => toRange(editor.document, hunk).start.line);
	const line = choose(lines, editor.selection.active.line);
	if (line === undefined) return;
	const place = new vscode.Range(line, 0, line, 0);
	editor.selection = new vscode.Selection(place.start, place.start);
	editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
