import { useLayoutEffect } from "preact/hooks";
import type { Page } from "../model/page.ts";
import { usePage } from "./parts/page-context.ts";

/**
 * When what has the focus goes, or can no longer have it, the browser drops the focus. It stays in the panel instead. It is
 * dropped, too, when the focus leaves the panel; when it comes back, it is where it was.
 */
export function FocusKeeper() {
	const page = usePage();
	useLayoutEffect(() => {
		let last: Focused | undefined;
		const note = ({ target }: Event): void => {
			if (!(target instanceof Element)) return;
			last = { element: target, isInThread: target.closest("#transcript") !== null };
		};
		// Who presses on nothing in particular wants no focus; on anything else it comes with the press.
		const forget = (): void => {
			last = undefined;
		};
		const takeBack = (): void => {
			if (last !== undefined && document.activeElement === document.body) keepFocus(page, last);
		};
		const observer = new MutationObserver((records) => {
			const { activeElement } = document;
			const isDropped = activeElement === document.body || activeElement === last?.element;
			if (last === undefined || !isDropped || !document.hasFocus()) return;
			if (wasTaken(last.element, records) || wasDisabled(last.element, records)) keepFocus(page, last);
		});
		document.addEventListener("focusin", note);
		document.addEventListener("pointerdown", forget, true);
		window.addEventListener("focus", takeBack);
		observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
		return () => {
			observer.disconnect();
			document.removeEventListener("focusin", note);
			document.removeEventListener("pointerdown", forget, true);
			window.removeEventListener("focus", takeBack);
		};
	}, [page]);
	return null;
}

interface Focused {
	readonly element: Element;
	/** Known from before it was taken out. */
	readonly isInThread: boolean;
}

/** Also when it was only moved to another place. */
function wasTaken(element: Element, records: readonly MutationRecord[]): boolean {
	return records.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(element)));
}

/** A card that was answered says itself where the focus goes. */
function wasDisabled(element: Element, records: readonly MutationRecord[]): boolean {
	const isOff = element.matches(":disabled") && element.closest(".approval, .approvals") === null;
	return isOff && records.some(({ type, target }) => type === "attributes" && target.contains(element));
}

function keepFocus({ composer }: Page, { element, isInThread }: Focused): void {
	const isHere = element.isConnected && !element.matches(":disabled");
	const place = isHere ? findSafe(element) : isInThread && document.getElementById("transcript");
	if (place instanceof HTMLElement) place.focus({ preventScroll: true });
	// What shows itself only under the pointer or the focus cannot take it.
	if (!place || document.activeElement !== place) composer.focus();
}

/** On a card that waits for an answer, a key that was meant for something else must not allow anything. */
function findSafe(element: Element): Element {
	const isAnswer = element.matches("[data-decision]");
	return (isAnswer && element.closest(".approval")?.querySelector("[data-decision=deny]:enabled")) || element;
}
