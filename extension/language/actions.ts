import * as vscode from "vscode";
import { type languageActions, MAX_ACTIONS } from "../../agent-host/protocol/host/language.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { openDocument } from "./open-document.ts";
import { readEdit } from "./read-edit.ts";
import type { Reports } from "./reports.ts";

const MAX_TITLE_CHARS = 500;

/** A fix with its edit. */
interface Fix {
	readonly title: string;
	readonly edit: vscode.WorkspaceEdit;
}

/** The fixes for a line or for a whole file, and the edits of the one with this title. */
export async function readActions(
	reports: Reports,
	{ path, line, title }: ParsedParamsOf<typeof languageActions>,
): Promise<ResultOf<typeof languageActions>> {
	const document = await openDocument(path);
	// Fixes belong to problems, which come when the server has read the file.
	await reports.settle([document], 0);
	const last = document.lineCount - 1;
	const range =
		line === undefined
			? new vscode.Range(document.lineAt(0).range.start, document.lineAt(last).range.end)
			: document.lineAt(Math.min(line, last)).range;
	const kind = line === undefined ? vscode.CodeActionKind.Source : vscode.CodeActionKind.QuickFix;
	const found = await vscode.commands.executeCommand<readonly (vscode.CodeAction | vscode.Command)[] | undefined>(
		"vscode.executeCodeActionProvider",
		document.uri,
		range,
		kind.value,
		// Without this number, providers may leave out the edits.
		MAX_ACTIONS,
	);
	const fixes = (found ?? []).flatMap((action) => toFix(action) ?? []).slice(0, MAX_ACTIONS);
	const titles = [...new Set(fixes.map((fix) => fix.title))];
	const chosen = fixes.find((fix) => fix.title === title);
	return { titles, ...(chosen === undefined ? { files: [] } : await readEdit(chosen.edit)) };
}

/**
 * Only what an action would edit counts: a command of an extension would run with the user's rights, so it is never run,
 * and an action that is nothing but a command is not offered. TypeScript adds one to each fix, for its statistics.
 */
function toFix(action: vscode.CodeAction | vscode.Command): Fix | undefined {
	if (!("edit" in action) || action.edit === undefined || action.disabled !== undefined) return undefined;
	const changes = action.edit.entries().length > 0;
	return changes ? { title: action.title.slice(0, MAX_TITLE_CHARS), edit: action.edit } : undefined;
}
