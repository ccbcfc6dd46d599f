import * as vscode from "vscode";

/**
 * Opens exactly this web address. From a `Uri` the editor would write it anew, with an `&` inside a value as one that
 * ends it; a text it keeps as it is, although its types do not say so.
 */
export function openAddress(url: string): Thenable<boolean> {
	return vscode.env.openExternal(url as unknown as vscode.Uri);
}
