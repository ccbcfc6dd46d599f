import { useLayoutEffect } from "preact/hooks";
import type { Page } from "../model/page.ts";
import { isInInputMethod, keyName } from "./parts/key-name.ts";
import { usePage } from "./parts/page-context.ts";

/** Keys that work wherever the focus is in the panel. */
const KEYS: Readonly<Record<string, (page: Page) => void>> = {
	"Mod+f": ({ find }) => find.open(),
	F3: ({ find }) => (find.isOpen.peek() ? find.step("next") : find.open()),
	"Shift+F3": ({ find }) => (find.isOpen.peek() ? find.step("previous") : find.open()),
	"Alt+ArrowUp": (page) => page.scrollTo({ to: "prompt", direction: "previous" }),
	"Alt+ArrowDown": (page) => page.scrollTo({ to: "prompt", direction: "next" }),
	"Mod+Alt+ArrowUp": (page) => page.scrollTo({ to: "code", direction: "previous" }),
	"Mod+Alt+ArrowDown": (page) => page.scrollTo({ to: "code", direction: "next" }),
	F2: (page) => page.run("renameThread"),
};

export function PanelKeys() {
	const page = usePage();
	useLayoutEffect(() => {
		const onKeyDown = (event: KeyboardEvent): void => {
			const act = KEYS[keyName(event)];
			if (act === undefined || isInInputMethod(event)) return;
			event.preventDefault();
			act(page);
		};
		document.addEventListener("keydown", onKeyDown);
		return () => document.removeEventListener("keydown", onKeyDown);
	}, [page]);
	return null;
}
