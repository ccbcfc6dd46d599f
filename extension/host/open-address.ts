import * as vscode from "vscode";

/**
 * Opens exactly this web address. The editor decodes a `Uri`, so that an `&` inside a value would end that value; it
 * leaves a text as it is, although its types do not say that it takes one.
 */
export function openAddress(url: string): Thenable<boolean> {
	return vscode.env.openExternal(url as unknown as vscode.Uri);
}
