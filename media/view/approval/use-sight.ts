import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { addSpan, clipSpan, isCovered, type Span } from "../../model/approval/seen-spans.ts";

/**
 * Calls `onSeen` once every line of a card has been in view, wherever the page, the list or the card itself had to be
 * scrolled for it. The buttons stay in view and count neither as seen nor as space to see something in.
 */
export function useSight(card: RefObject<HTMLElement | null>, onSeen: () => void): void {
	const done = useRef(false);
	useEffect(() => {
		const element = card.current;
		if (!element || done.current) return;
		let width = element.clientWidth;
		let seen = new Map<Element, readonly Span[]>();
		const look = (): void => {
			if (done.current) return;
			// Other line breaks: what was seen is elsewhere now.
			if (element.clientWidth !== width) seen = new Map();
			width = element.clientWidth;
			const parts = [...element.children].filter((part) => !part.matches(".answers"));
			for (const part of parts) seen.set(part, addSpan(seen.get(part) ?? [], findVisible(part, element)));
			if (!parts.every((part) => isCovered(seen.get(part) ?? [], part.scrollHeight))) return;
			done.current = true;
			onSeen();
		};
		const observer = new ResizeObserver(look);
		for (const one of [element, ...element.children, element.closest(".dock")]) if (one) observer.observe(one);
		document.addEventListener("scroll", look, true);
		return () => {
			observer.disconnect();
			document.removeEventListener("scroll", look, true);
		};
	}, []);
}

/** The lines of a part that are in view, in pixels of its own content. */
function findVisible(part: Element, card: Element): Span {
	const { top } = part.getBoundingClientRect();
	const frames = [part, card.closest(".approvals"), card.closest(".dock"), document.documentElement];
	const answers = card.querySelector(".answers")?.getBoundingClientRect().top;
	const clips = [
		...frames.flatMap((frame) => (frame ? [measureSpan(frame)] : [])),
		{ from: -Infinity, to: answers ?? top },
	];
	const visible = clips.reduce(clipSpan);
	const offset = part.scrollTop - top - part.clientTop;
	return { from: visible.from + offset, to: visible.to + offset };
}

export function measureSpan(element: Element): Span {
	const { top, bottom } = element.getBoundingClientRect();
	return { from: top, to: bottom };
}
