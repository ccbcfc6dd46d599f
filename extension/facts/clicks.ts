import * as vscode from "vscode";

/** Whether the user has clicked into a file since, where the next words belong then. A click at the cursor is not told. */
export function watchClicks(): { readonly hasClicked: () => boolean } & vscode.Disposable {
	let hasClicked = false;
	const watching = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
		hasClicked ||= kind === vscode.TextEditorSelectionChangeKind.Mouse;
	});
	return { hasClicked: () => hasClicked, dispose: () => watching.dispose() };
}
