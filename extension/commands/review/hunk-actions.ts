import * as vscode from "vscode";
import { reviewComment, reviewKeep, reviewReject } from "../../../agent-host/protocol/thread/review.ts";
import { fileUri } from "../../facts/file-uri.ts";
import { toRange } from "../../review/hunk-marks.ts";
import { isAt } from "../../review/pending-changes.ts";
import { type Parts, shownThread } from "../parts.ts";
import { resolve } from "./review-changes.ts";

/** Commands on one hunk: that of the button, or the one at the cursor. */
export const HUNK_COMMANDS: Readonly<Record<string, (parts: Parts, hunk: string, from: unknown) => Promise<void>>> = {
	"vitrine.keepHunk": (parts, hunk) => decide(parts, reviewKeep, hunk),
	"vitrine.rejectHunk": (parts, hunk) => decide(parts, reviewReject, hunk),
	"vitrine.commentHunk": async (parts, hunk, from) => {
		if (isReply(from)) await comment(parts, hunk, from.text);
		else parts.reviewDiff.comments.open(hunk);
	},
	"vitrine.editComment": async ({ reviewDiff }, _, from) => reviewDiff.comments.edit(from, "begin"),
	"vitrine.cancelComment": async ({ reviewDiff }, _, from) => reviewDiff.comments.edit(from, "cancel"),
	"vitrine.saveComment": (parts, hunk, from) => comment(parts, hunk, parts.reviewDiff.comments.textOf(from) ?? ""),
	"vitrine.deleteComment": (parts, hunk) => comment(parts, hunk, ""),
};

/**
 * Finds the hunk from a button's argument: an id, a comment thread, a comment, or a reply. Without one, the hunk at the
 * cursor.
 */
export function hunkFrom({ changes, reviewDiff }: Parts, from: unknown): string | undefined {
	if (typeof from === "string") return from;
	const hunk = reviewDiff.comments.hunkOf(isReply(from) ? from.thread : from);
	if (hunk !== undefined) return hunk;
	const editor = vscode.window.activeTextEditor;
	if (editor === undefined) return undefined;
	const line = editor.selection.active.line;
	const here = changes.hunksOf(editor.document.uri).find((one) => {
		const { start, end } = toRange(editor.document, one);
		return start.line <= line && line <= end.line;
	});
	return here?.id;
}

export function nextChange(parts: Parts): void {
	jumpTo(parts, (lines, cursor) => lines.find((line) => line > cursor) ?? lines[0]);
}

export function previousChange(parts: Parts): void {
	jumpTo(parts, (lines, cursor) => lines.findLast((line) => line < cursor) ?? lines.at(-1));
}

/** Keeps or rejects a hunk and goes on to the next one: in this file, else in the next one. */
async function decide(parts: Parts, method: typeof reviewKeep | typeof reviewReject, hunk: string): Promise<void> {
	const { changes } = parts;
	const threadId = changes.findThread(hunk) ?? shownThread(parts);
	const editor = vscode.window.activeTextEditor;
	const isHere = editor !== undefined && changes.hunksOf(editor.document.uri).some(({ id }) => id === hunk);
	await resolve(parts, method, [{ threadId, hunks: [hunk] }]);
	await parts.reviewDiff.tidy();
	if (!isHere || vscode.window.activeTextEditor !== editor) return;
	const lines = changes.hunksOf(editor.document.uri).map((one) => toRange(editor.document, one).start.line);
	const cursor = editor.selection.active.line;
	const line = lines.find((one) => one >= cursor) ?? lines[0];
	if (line !== undefined) reveal(editor, line);
	else if (vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputText) {
		await openNextFile(parts, editor.document.uri);
	}
}

async function openNextFile({ changes }: Parts, done: vscode.Uri): Promise<void> {
	const files = changes.threads().flatMap(({ files: all }) => all);
	const next = files.find(
		({ path, operation, hunks }) => !isAt(done, path) && operation !== "delete" && hunks.length > 0,
	);
	const [hunk] = next?.hunks ?? [];
	if (next === undefined || hunk === undefined) return;
	const editor = await vscode.window.showTextDocument(fileUri(next.path));
	reveal(editor, toRange(editor.document, hunk).start.line);
}

async function comment(parts: Parts, hunk: string, text: string): Promise<void> {
	const threadId = parts.changes.findThread(hunk) ?? shownThread(parts);
	await parts.host.request(reviewComment, { threadId, hunk, text });
	await parts.changes.refresh();
}

function isReply(from: unknown): from is vscode.CommentReply {
	return typeof from === "object" && from !== null && "thread" in from && "text" in from;
}

function jumpTo({ changes }: Parts, choose: (lines: readonly number[], cursor: number) => number | undefined): void {
	const editor = vscode.window.activeTextEditor;
	if (editor === undefined) return;
	const lines = changes.hunksOf(editor.document.uri).map((hunk) => toRange(editor.document, hunk).start.line);
	const line = choose(lines, editor.selection.active.line);
	if (line !== undefined) reveal(editor, line);
}

function reveal(editor: vscode.TextEditor, line: number): void {
	const place = new vscode.Range(line, 0, line, 0);
	editor.selection = new vscode.Selection(place.start, place.start);
	editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
