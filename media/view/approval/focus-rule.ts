import { useEffect, useRef } from "preact/hooks";

/** After a key press in an input within this time, the user counts as typing. */
const WRITING_MS = 1_500;

/** The focus may move to a new approval, but not away from another card or from a field in use. */
export function useFocusRule(): () => boolean {
	const lastKey = useRef(Number.NEGATIVE_INFINITY);
	useEffect(() => {
		const note = (event: KeyboardEvent): void => {
			lastKey.current = event.timeStamp;
		};
		document.addEventListener("keydown", note, true);
		return () => document.removeEventListener("keydown", note, true);
	}, []);
	return () => {
		const active = document.activeElement;
		if (isFree(active)) return document.hasFocus();
		if (!isField(active) || isInCard(active)) return false;
		return document.hasFocus() && active.value === "" && performance.now() - lastKey.current > WRITING_MS;
	};
}

/** Whether the focus is neither in a field nor on a card, so that nobody who writes or answers loses it. */
export function isFree(active: Element | null): boolean {
	return !isField(active) && !isInCard(active);
}

function isField(active: Element | null): active is HTMLTextAreaElement | HTMLInputElement {
	return active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement;
}

function isInCard(active: Element | null): boolean {
	return active?.closest(".approval, .approvals") != null;
}
