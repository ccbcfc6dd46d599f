import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./editor-until.ts";
import type { EditorWindow } from "./editor-window.ts";

/**
 * Keys for what is done between claims. Nothing is claimed about them, and the palette, which claims use, takes half a second of
 * processor each time.
 */
const COMMANDS = {
	"Control+Alt+F9": ["vitrine.newThread"],
	"Control+Alt+F10": [
		"notifications.clearAll",
		"workbench.action.closePanel",
		"workbench.action.closeAllEditors",
		"vitrine.newThread",
	],
} as const;
type Key = keyof typeof COMMANDS;

export const NEW_THREAD: Key = "Control+Alt+F9";
/** Closes what a claim may have left open, then begins a new thread. */
export const TIDY_UP: Key = "Control+Alt+F10";

/** Also from a terminal, which has most keys for itself. */
export const KEY_SETTINGS = { "terminal.integrated.commandsToSkipShell": ["runCommands"] };

/**
 * A window that is on its way from one page to another may miss a key. Long enough for one that was not missed on a busy
 * machine: what a second one does would come in the middle of the claim.
 */
const MISSED_MS = 15_000;

/** Binds them for windows that are opened from now on. */
export function bindKeys(userData: string): void {
	const folder = join(userData, "User");
	mkdirSync(folder, { recursive: true });
	const bindings = Object.entries(COMMANDS).map(([key, commands]) => ({
		key: key.replace("Control", "ctrl").toLowerCase(),
		command: "runCommands",
		args: { commands },
	}));
	writeFileSync(join(folder, "keybindings.json"), JSON.stringify(bindings));
}

/**
 * Presses a key and waits for what it is to bring about. Each of them may be pressed again, and ends with the focus in the
 * composer: it has none before, so that the end can be seen.
 */
export async function pressKey<T>(window: EditorWindow, key: Key, what: string, look: () => Promise<T | false>) {
	let pressedAt = 0;
	return until(what, async () => {
		if (Date.now() - pressedAt > MISSED_MS) {
			await window.leaveFields();
			await window.page.keyboard.press(key);
			pressedAt = Date.now();
		}
		return look();
	});
}
