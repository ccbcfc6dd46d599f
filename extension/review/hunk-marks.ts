import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ReviewedHunk } from "../../agent-host/protocol/thread/review.ts";
import { t } from "../../l10n/t.ts";
import { fence } from "./fence.ts";
import { clampLines, describeHunk } from "./hunk-words.ts";
import type { PendingChanges } from "./pending-changes.ts";

/** Marks pending changes in plain editors: line colour, ruler, and CodeLens actions. */
export function createHunkMarks(changes: PendingChanges): vscode.Disposable {
	const added = lineMark("editorOverviewRuler.addedForeground");
	const changed = lineMark("editorOverviewRuler.modifiedForeground");
	const removed = vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		borderWidth: "2px 0 0 0",
		borderStyle: "solid",
		borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
		overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.deletedForeground"),
		overviewRulerLane: vscode.OverviewRulerLane.Left,
	});
	const runsWithBuild = vscode.window.createTextEditorDecorationType({
		after: { color: new vscode.ThemeColor("editorCodeLens.foreground"), fontStyle: "italic", margin: "0 0 0 3em" },
	});
	const lensesChanged = new vscode.EventEmitter<void>();
	/** Only these have marks to take away. The editor logs each call for a text editor that has just been closed. */
	const marked = new WeakSet<vscode.TextEditor>();
	const mark = (editor: vscode.TextEditor): void => {
		const { uri } = editor.document;
		const hunks = changes.hunksOf(uri);
		if (hunks.length === 0 && !marked.delete(editor)) return;
		if (hunks.length > 0) marked.add(editor);
		const of = (wanted: (hunk: ReviewedHunk) => boolean) => hunks.filter(wanted).map((hunk) => toMark(editor, hunk));
		editor.setDecorations(
			removed,
			of(({ added }) => added.length === 0),
		);
		editor.setDecorations(
			added,
			of((hunk) => hunk.added.length > 0 && hunk.state === "pending"),
		);
		editor.setDecorations(
			changed,
			of((hunk) => hunk.added.length > 0 && hunk.state === "changed"),
		);
		editor.setDecorations(
			runsWithBuild,
			changes.findFile(uri)?.runsWithBuild ? hunks.slice(0, 1).map((hunk) => toNote(editor, hunk)) : [],
		);
	};
	/** The review shortcuts are active only where there are pending changes. */
	const updateKeyContext = (editor = vscode.window.activeTextEditor): void => {
		const isHere = editor !== undefined && changes.hunksOf(editor.document.uri).length > 0;
		void vscode.commands.executeCommand("setContext", "vitrine.changesHere", isHere);
	};
	const markAll = (): void => {
		for (const editor of vscode.window.visibleTextEditors) mark(editor);
		lensesChanged.fire();
		updateKeyContext();
	};
	return vscode.Disposable.from(
		...[added, changed, removed, runsWithBuild, lensesChanged],
		changes.onDidChange(markAll),
		vscode.window.onDidChangeVisibleTextEditors(markAll),
		vscode.window.onDidChangeActiveTextEditor(updateKeyContext),
		vscode.languages.registerCodeLensProvider(
			{ scheme: "file" },
			{
				onDidChangeCodeLenses: lensesChanged.event,
				provideCodeLenses: (document) =>
					changes.hunksOf(document.uri).flatMap((hunk) => toLenses(document, hunk, changes.findThread(hunk.id))),
			},
		),
	);
}

/** Range of a hunk in the document, which may be shorter than the host assumed. */
export function toRange(document: vscode.TextDocument, hunk: ReviewedHunk): vscode.Range {
	const { from, to } = clampLines(hunk, document.lineCount);
	return new vscode.Range(from, 0, to, 0);
}

function lineMark(ruler: string): vscode.TextEditorDecorationType {
	return vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
		overviewRulerColor: new vscode.ThemeColor(ruler),
		overviewRulerLane: vscode.OverviewRulerLane.Left,
	});
}

function toMark(editor: vscode.TextEditor, hunk: ReviewedHunk): vscode.DecorationOptions {
	const range = toRange(editor.document, hunk);
	if (hunk.removed.length === 0) return { range };
	const before = new vscode.MarkdownString(t("Before:"));
	return { range, hoverMessage: before.appendMarkdown(fence(hunk.removed.join("\n"), editor.document.languageId)) };
}

/** Note at the end of the first line of a change; a diff shows it too. */
function toNote(editor: vscode.TextEditor, hunk: ReviewedHunk): vscode.DecorationOptions {
	const { range } = editor.document.lineAt(toRange(editor.document, hunk).start.line);
	return { range, renderOptions: { after: { contentText: t("Runs with your build or tests") } } };
}

/** `threadId`: the thread that made the change, which may be another one than the open thread. */
function toLenses(
	document: vscode.TextDocument,
	hunk: ReviewedHunk,
	threadId: ThreadId | undefined,
): readonly vscode.CodeLens[] {
	const { start } = toRange(document, hunk);
	const at = new vscode.Range(start, start);
	const lens = (title: string, command: string, about: unknown = hunk.id) =>
		new vscode.CodeLens(at, { title, command, arguments: [about] });
	return [
		lens(`$(check)\u00A0${t("Keep")}`, "vitrine.keepHunk"),
		lens(`$(discard)\u00A0${t("Reject")}`, "vitrine.rejectHunk"),
		lens(`$(comment)\u00A0${t("Comment")}`, "vitrine.commentHunk"),
		lens(describeHunk(hunk), "vitrine.reviewChanges", { id: threadId }),
	];
}
