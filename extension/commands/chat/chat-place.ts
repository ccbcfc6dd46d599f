import * as vscode from "vscode";
import { CHAT_TAB } from "../../panel/chat-places.ts";
import type { Parts } from "../parts.ts";

/** Brings the chat to the front, or takes it away when it is there. */
export function toggleChat({ panel }: Parts): Promise<void> {
	return panel.isVisible() ? panel.hide() : panel.focusInput();
}

export async function openChatInEditor({ panel }: Parts): Promise<void> {
	await panel.moveTo("tab");
	await panel.focusInput();
}

export async function openChatInWindow({ panel }: Parts): Promise<void> {
	await panel.moveTo("tab");
	await untilInFront();
	await vscode.commands.executeCommand("workbench.action.moveEditorToNewWindow");
}

export async function showChatInView({ panel }: Parts): Promise<void> {
	await panel.moveTo("view");
	await panel.focusInput();
}

/** What moves an editor to another window takes the one in front. */
async function untilInFront(): Promise<void> {
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
