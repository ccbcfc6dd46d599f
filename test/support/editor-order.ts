import type { EditorChat } from "./editor-chat.ts";
import { startOver } from "./editor-thread.ts";
import { until } from "./editor-until.ts";
import { type EditorWindow, VIEWPORT } from "./editor-window.ts";

/**
 * Brings a window to the state in which each claim finds it: as large as it was opened, no palette, menu, notification,
 * editor or panel open, and the chat in its view with an empty thread and the focus. Settings, trust and files of the
 * folder stay as they are; a claim that changes one of those for others leaves its desk.
 */
export async function putInOrder(window: EditorWindow): Promise<EditorChat> {
	const { page, palette } = window;
	await page.setViewportSize(VIEWPORT);
	await palette.close();
	if ((await page.locator(".notification-toast").count()) > 0) {
		await window.command("Notifications: Clear All Notifications");
	}
	await closeEditors(window);
	if (await page.locator(".part.panel").isVisible()) await window.command("View: Hide Panel");
	window.pageErrors.length = 0;
	const chat = await startOver(window);
	await chat.composer.fill("");
	return chat;
}

/** Also those with words that nobody has saved. */
async function closeEditors({ page, palette }: EditorWindow): Promise<void> {
	const tabs = page.locator(".part.editor .tabs-container .tab");
	if ((await tabs.count()) === 0) return;
	const lose = page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" });
	await palette.run("View: Close All Editors");
	await until("all editors are closed", async () => {
		if (await lose.isVisible()) await lose.click();
		return (await tabs.count()) === 0;
	});
}
