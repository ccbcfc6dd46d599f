import { suggestCommands } from "../../model/composer/slash.ts";
import type { Page } from "../../model/page.ts";
import { keyName } from "../parts/key-name.ts";

type Did = "acted" | "passed";

/** Keys of the prompt besides those that send; `passed` leaves a key to the browser. */
const KEYS: Readonly<Record<string, (page: Page) => Did>> = {
	ArrowUp: ({ composer }) => (composer.recallLast() === "recalled" ? "acted" : "passed"),
	Escape: ({ composer }) => {
		const isNaming = suggestCommands(composer.draft.peek()).length > 0;
		if (composer.recall.turnId.peek() !== undefined) composer.recall.cancel();
		else if (isNaming) composer.type("");
		else return "passed";
		return "acted";
	},
	"Mod+.": (page) => {
		page.run("togglePlan");
		return "acted";
	},
	"Mod+/": (page) => {
		page.run("changeModel");
		return "acted";
	},
};

/** Handles one of these keys; returns whether it did. */
export function actOnKey(page: Page, event: KeyboardEvent): boolean {
	if (event.isComposing || KEYS[keyName(event)]?.(page) !== "acted") return false;
	event.preventDefault();
	// This Esc is for the prompt; it must not stop the turn.
	event.stopPropagation();
	return true;
}
