import * as vscode from "vscode";

/**
 * The value from user settings, or undefined. Values of a workspace, folder, language or another extension's defaults
 * are ignored, whatever scope the editor assumes for the setting.
 */
export function ownSetting(id: string): unknown {
	return vscode.workspace.getConfiguration().inspect<unknown>(id)?.globalValue;
}
