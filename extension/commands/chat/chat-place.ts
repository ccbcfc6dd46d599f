import * as vscode from "vscode";
import { CHAT_TAB } from "../../panel/chat-places.ts";
import type { Parts } from "../parts.ts";

/** Shows the chat, or hides it if it is visible. */
export function toggleChat({ panel }: Parts): Promise<void> {
	return panel.isVisible() ? panel.hide() : panel.focusInput();
}

export async function openChatInEditor({ panel }: Parts): Promise<void> {
	await panel.moveTo("tab");
	await panel.focusInput();
}

export async function openChatInWindow({ panel }: Parts): Promise<void> {
	await panel.moveTo("tab");
	await waitUntilActive();
	await vscode.commands.executeCommand("workbench.action.moveEditorToNewWindow");
}

export async function showChatInView({ panel }: Parts): Promise<void> {
	await panel.moveTo("view");
	await panel.focusInput();
}

/** Waits until the chat's tab is active, because the command that moves an editor acts on the active one. */
async function waitUntilActive(): Promise<void> {
	const isOurs = (): boolean => {
		const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
		return input instanceof vscode.TabInputWebview && input.viewType.includes(CHAT_TAB);
	};
	if (isOurs()) return;
	await new Promise<void>((resolve) => {
		const watch = vscode.window.tabGroups.onDidChangeTabs(() => {
			if (!isOurs()) return;
			watch.dispose();
			resolve();
		});
	});
}
