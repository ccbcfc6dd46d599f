import { useEffect } from "preact/hooks";
import { usePage } from "./page-context.ts";

/** Keys that work wherever the focus is: finding, and going from prompt to prompt. */
export function PanelKeys() {
	const page = usePage();
	useEffect(() => {
		const onKeyDown = (event: KeyboardEvent): void => {
			const { key, altKey, shiftKey } = event;
			const isCommand = event.ctrlKey || event.metaKey;
			if (isCommand && !altKey && !shiftKey && key.toLowerCase() === "f") page.find.open();
			else if (key === "F3" && !page.find.isOpen.peek()) page.find.open();
			else if (key === "F3") page.find.step(shiftKey ? "previous" : "next");
			else if (altKey && !isCommand && key === "ArrowUp") page.move.value = { to: "prompt", direction: "previous" };
			else if (altKey && !isCommand && key === "ArrowDown") page.move.value = { to: "prompt", direction: "next" };
			else return;
			event.preventDefault();
		};
		document.addEventListener("keydown", onKeyDown);
		return () => document.removeEventListener("keydown", onKeyDown);
	}, [page]);
	return null;
}
