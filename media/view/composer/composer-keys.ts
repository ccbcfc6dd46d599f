import type { PageSlash } from "../../model/composer/page-slash.ts";
import type { Page } from "../../model/page.ts";
import { isInInputMethod, keyName } from "../parts/key-name.ts";

type Did = "acted" | "passed";

/** Keys of the prompt besides those that send; `passed` leaves a key to the browser. */
const KEYS: Readonly<Record<string, (page: Page) => Did>> = {
	ArrowUp: (page) => {
		if (inCommands(page, (slash) => slash.move(-1)) === "acted") return "acted";
		return page.composer.editLast() === "editing" ? "acted" : "passed";
	},
	ArrowDown: (page) => inCommands(page, (slash) => slash.move(1)),
	Tab: (page) => inCommands(page, (slash) => slash.complete()),
	Enter: (page) => inCommands(page, (slash) => slash.choose()),
	Escape: ({ composer }) => {
		if (composer.slash.offered.peek().length === 0) return "passed";
		composer.type("");
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

/** For keys that belong to the list of commands while it is open. */
function inCommands({ composer: { slash } }: Page, act: (slash: PageSlash) => void): Did {
	if (slash.offered.peek().length === 0) return "passed";
	act(slash);
	return "acted";
}

/** Handles one of these keys; returns whether it did. */
export function actOnKey(page: Page, event: KeyboardEvent): boolean {
	if (isInInputMethod(event) || KEYS[keyName(event)]?.(page) !== "acted") return false;
	event.preventDefault();
	// This Esc is for the prompt; it must not stop the turn.
	event.stopPropagation();
	return true;
}
