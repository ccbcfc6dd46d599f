import * as vscode from "vscode";

/**
 * In messages and below inputs the editor makes a link of `[words](command:…)`, and one click on it runs any command
 * with any arguments. Names of files and servers, and what servers answer, are in our sentences: none becomes a link.
 */
export function withoutLinks(text: string): string {
	return text.replaceAll("](", "] (");
}

interface ShowMessage {
	<T extends string>(message: string, ...choices: readonly T[]): Thenable<T | undefined>;
	<T extends string>(
		message: string,
		options: vscode.MessageOptions,
		...choices: readonly T[]
	): Thenable<T | undefined>;
}

export const showInformation: ShowMessage = (message: string, ...rest: readonly unknown[]) =>
	vscode.window.showInformationMessage(withoutLinks(message), ...(rest as never[]));

export const showWarning: ShowMessage = (message: string, ...rest: readonly unknown[]) =>
	vscode.window.showWarningMessage(withoutLinks(message), ...(rest as never[]));

export const showError: ShowMessage = (message: string, ...rest: readonly unknown[]) =>
	vscode.window.showErrorMessage(withoutLinks(message), ...(rest as never[]));
