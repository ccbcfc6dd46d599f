import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import { openOrBegin } from "../../panel/open/place-code.ts";
import type { Parts } from "../parts.ts";
import { pickPlace } from "./pick-place.ts";
import { appendLine } from "./templates.ts";

const FILE = "AGENTS.md";

/**
 * Adds a line to the instructions of the workspace or of the user. The document is left unsaved beside the file on disk,
 * so that the user can look, change it, undo or save. A line that is not added is in the prompt again.
 */
export async function remember({ home, panel }: Parts, given?: unknown): Promise<void> {
	const title = t("Remember");
	const asked =
		typeof given === "string" && given.trim() !== ""
			? given
			: await vscode.window.showInputBox({ title, prompt: t("One instruction, such as: Run the tests with npm test") });
	if (asked === undefined || asked.trim() === "") return;
	let isAdded = false;
	try {
		const uri = await pickPlace(title, { workspace: FILE, own: vscode.Uri.joinPath(home, FILE) });
		if (uri === undefined) return;
		await addLine(uri, asked);
		isAdded = true;
	} finally {
		if (!isAdded) await panel.compose(`/remember ${asked}`, [], "write");
	}
}

async function addLine(uri: vscode.Uri, line: string): Promise<void> {
	const document = await openOrBegin(uri);
	const editor = await vscode.window.showTextDocument(document);
	const before = document.getText();
	const [at, added] = [document.positionAt(before.length), appendLine(before, line).slice(before.length)];
	await editor.edit((edit) => edit.insert(at, added));
	if (!document.isUntitled) await vscode.commands.executeCommand("workbench.files.action.compareWithSaved");
}
