import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";

/** Adds a quick fix that asks Vitrine. It appears once Vitrine has been used in the window. */
export function registerFixAction(): vscode.Disposable {
	const provider: vscode.CodeActionProvider = {
		provideCodeActions: ({ uri }, _, { diagnostics, only }) => {
			if (diagnostics.length === 0 || (only !== undefined && !only.contains(vscode.CodeActionKind.QuickFix))) return [];
			const action = new vscode.CodeAction(t("Fix with Vitrine"), vscode.CodeActionKind.QuickFix);
			action.diagnostics = [...diagnostics];
			action.command = { command: "vitrine.fixProblem", title: action.title, arguments: [uri, [...diagnostics]] };
			return [action];
		},
	};
	const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
	return vscode.languages.registerCodeActionsProvider({ scheme: "file" }, provider, kinds);
}
