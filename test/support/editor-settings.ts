import { isDeepStrictEqual } from "node:util";
import type { EditorSettings } from "./editor.ts";
import type { Desk } from "./editor-desk.ts";
import { until } from "./editor-until.ts";
import type { EditorWindow } from "./editor-window.ts";

/** Changes the user's settings in the editor, as a user would: it does not watch their file for what others write. */
export async function changeSettings(
	{ editor, context }: Desk,
	window: EditorWindow,
	changed: EditorSettings,
): Promise<void> {
	await context.grantPermissions(["clipboard-read", "clipboard-write"]);
	const settings = { ...(await editor.readUserSettings()), ...changed };
	await window.command("Preferences: Open User Settings (JSON)");
	await window.focusText("settings.json");
	await window.press("Control+A");
	await window.cursor(/\d selected/).waitFor();
	// Pasted: the editor completes what is typed.
	await window.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(settings))})`);
	await window.press("Control+V");
	await window.page.locator(".part.editor .tab.active.dirty").filter({ hasText: "settings.json" }).waitFor();
	await window.press("Control+S");
	await until("they are saved", async () => isDeepStrictEqual(await editor.readUserSettings(), settings));
}
