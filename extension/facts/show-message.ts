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
	unlessAsked(message, rest, vscode.window.showInformationMessage);

export const showWarning: ShowMessage = (message: string, ...rest: readonly unknown[]) =>
	unlessAsked(message, rest, vscode.window.showWarningMessage);

export const showError: ShowMessage = (message: string, ...rest: readonly unknown[]) =>
	unlessAsked(message, rest, vscode.window.showErrorMessage);

type Show = (message: string, ...rest: never[]) => Thenable<undefined>;

/** The modal questions that wait for an answer. */
const asked = new Set<string>();

/**
 * A second click comes before the editor has shown what the first one asks. It would then ask again, after the answer,
 * so the same question is only asked once at a time; the second click counts as cancelled.
 */
async function unlessAsked(message: string, rest: readonly unknown[], show: Show): Promise<undefined> {
	const plain = withoutLinks(message);
	const [options] = rest;
	if (!isModal(options)) return show(plain, ...(rest as never[]));
	const question = JSON.stringify([plain, options.detail]);
	if (asked.has(question)) return undefined;
	asked.add(question);
	try {
		return await show(plain, ...(rest as never[]));
	} finally {
		asked.delete(question);
	}
}

function isModal(options: unknown): options is vscode.MessageOptions {
	return typeof options === "object" && options !== null && "modal" in options && options.modal === true;
}
