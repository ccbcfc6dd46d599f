import * as vscode from "vscode";
import type { Parts } from "./parts.ts";

/** Wherever the user has moved the view to. */
const CLOSERS = ["workbench.action.closeAuxiliaryBar", "workbench.action.closeSidebar", "workbench.action.closePanel"];

/** Brings the chat to the front, or takes it away when it is there. */
export async function toggleChat({ panel }: Parts): Promise<void> {
	if (!panel.isVisible()) return panel.focusInput();
	for (const close of CLOSERS) {
		await vscode.commands.executeCommand(close);
		if (!panel.isVisible()) return;
	}
	// It is in a tab.
	await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
}

export async function openChatInEditor({ panel }: Parts): Promise<void> {
	await panel.moveTo("tab");
	await panel.focusInput();
}

export async function openChatInWindow({ panel }: Parts): Promise<void> {
	await panel.moveTo("tab");
	await vscode.commands.executeCommand("workbench.action.moveEditorToNewWindow");
}

export async function showChatInView({ panel }: Parts): Promise<void> {
	await panel.moveTo("view");
	await panel.focusInput();
}
