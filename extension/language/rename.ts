import * as vscode from "vscode";
import { type languageRename, MAX_EDITED_FILES } from "../../agent-host/protocol/host/language.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { type AskProvider, openDocument, toPosition } from "./ask-provider.ts";

type Renamed = ResultOf<typeof languageRename>;

const MAX_REASON_CHARS = 500;

/** The edits that rename a symbol, as the host can apply them; nothing is applied here. */
export async function rename(
	ask: AskProvider,
	{ at, newName }: ParsedParamsOf<typeof languageRename>,
): Promise<Renamed> {
	// With a document that is not open, the editor passes on the name in a form that providers do not understand.
	const document = await openDocument(at.path);
	// Waits for the server, which a rename does not.
	await ask("vscode.executeDefinitionProvider", document, toPosition(at));
	try {
		const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
			"vscode.executeDocumentRenameProvider",
			document.uri,
			toPosition(at),
			newName,
		);
		return edit === undefined ? { files: [] } : await readEdit(edit);
	} catch (error) {
		// The provider's own words, such as that the name is a keyword.
		return refuse((error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON_CHARS));
	}
}

async function readEdit(edit: vscode.WorkspaceEdit): Promise<Renamed> {
	const entries = edit.entries();
	if (countAll(edit) > entries.reduce((sum, [, edits]) => sum + edits.length, 0)) {
		return refuse("files would be created, renamed or deleted, or cells of a notebook changed.");
	}
	if (entries.length > MAX_EDITED_FILES) return refuse(`more than ${MAX_EDITED_FILES} files would change.`);
	const foreign = entries.find(([uri]) => uri.scheme !== "file");
	if (foreign !== undefined) return refuse(`${foreign[0].scheme}: is not a file that could be changed.`);
	const files = await Promise.all(
		entries.map(async ([uri, edits]) => {
			const document = await vscode.workspace.openTextDocument(uri);
			const placed = edits.map(({ range, newText }) => ({
				start: { line: range.start.line, character: range.start.character },
				end: { line: range.end.line, character: range.end.character },
				old: document.getText(range),
				text: newText,
			}));
			return { path: uri.fsPath, edits: placed };
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

function refuse(problem: string): Renamed {
	return { files: [], problem };
}
