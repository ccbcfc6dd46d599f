import * as vscode from "vscode";

/**
 * The user's own value of a setting that is theirs alone, or undefined. What a workspace, one of its folders, a language or another
 * extension's defaults say does not count, whatever scope the editor takes the setting to have.
 */
export function ownSetting(id: string): unknown {
	return vscode.workspace.getConfiguration().inspect<unknown>(id)?.globalValue;
}
