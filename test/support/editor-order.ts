import type { EditorChat } from "./editor-chat.ts";
import { pressKey, TIDY_UP } from "./editor-keys.ts";
import { findEmpty } from "./editor-thread.ts";
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
	const chat = await pressKey(window, TIDY_UP, "the window is in order", async () => {
		await loseChanges(window);
		return (await isTidy(window)) && findEmpty(window);
	});
	window.pageErrors.length = 0;
	await chat.composer.fill("");
	return chat;
}

async function isTidy({ page }: EditorWindow): Promise<boolean> {
	const open = page.locator(".part.editor .tabs-container .tab, .notification-toast");
	return (await open.count()) === 0 && !(await page.locator(".part.panel").isVisible());
}

/** Editors are closed with what nobody has saved. */
async function loseChanges({ page }: EditorWindow): Promise<void> {
	const lose = page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" });
	if (await lose.isVisible()) await lose.click();
}
