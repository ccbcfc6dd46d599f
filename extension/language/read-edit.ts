import * as vscode from "vscode";
import { type LanguageEdits, MAX_EDITED_FILES } from "../../agent-host/protocol/host/language.ts";
import { toPath } from "../facts/file-uri.ts";

/** The edits of a language server as the host can apply them; nothing is applied here. */
export async function readEdit(edit: vscode.WorkspaceEdit): Promise<LanguageEdits> {
	const entries = edit.entries();
	if (countAll(edit) > entries.reduce((sum, [, edits]) => sum + edits.length, 0)) {
		return refuseEdits("files would be created, renamed or deleted, or cells of a notebook changed.");
	}
	if (entries.length > MAX_EDITED_FILES) return refuseEdits(`more than ${MAX_EDITED_FILES} files would change.`);
	const foreign = entries.find(([uri]) => uri.scheme !== "file");
	if (foreign !== undefined) return refuseEdits(`${foreign[0].scheme}: is not a file that could be changed.`);
	const files = await Promise.all(
		entries.map(async ([uri, edits]) => {
			const document = await vscode.workspace.openTextDocument(uri);
			const placed = edits.map(({ range, newText }) => ({
				start: { line: range.start.line, character: range.start.character },
				end: { line: range.end.line, character: range.end.character },
				old: document.getText(range),
				text: newText,
			}));
			return { path: toPath(uri), edits: placed };
		}),
	);
	return { files };
}

/**
 * `entries()` leaves out everything but plain edits, also from `size`. What else there is can only be seen here; where
 * the editor no longer has it, its own list counts.
 */
function countAll(edit: vscode.WorkspaceEdit): number {
	const { _allEntries } = edit as { readonly _allEntries?: () => readonly unknown[] };
	return typeof _allEntries === "function" ? _allEntries.call(edit).length : 0;
}

export function refuseEdits(problem: string): LanguageEdits {
	return { files: [], problem };
}
