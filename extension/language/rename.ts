import * as vscode from "vscode";
import type { LanguageEdits, languageRename } from "../../agent-host/protocol/host/language.ts";
import type { ParsedParamsOf } from "../../agent-host/protocol/method.ts";
import { type AskProvider, toPosition } from "./ask-provider.ts";
import { openDocument } from "./open-document.ts";
import { readEdit, refuseEdits } from "./read-edit.ts";

const MAX_REASON_CHARS = 500;

/** The edits that rename a symbol, as the host can apply them; nothing is applied here. */
export async function rename(
	ask: AskProvider,
	{ at, newName }: ParsedParamsOf<typeof languageRename>,
): Promise<LanguageEdits> {
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
		return refuseEdits((error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON_CHARS));
	}
}
