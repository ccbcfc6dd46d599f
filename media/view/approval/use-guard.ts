import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { PressGuard } from "../../model/approval/press-guard.ts";

interface GuardedHandlers {
	readonly onPointerDownCapture: (event: Event) => void;
	readonly onKeyDownCapture: (event: KeyboardEvent) => void;
	readonly onClickCapture: (event: Event) => void;
}

/** Ignores presses on an element of the approval list that has just appeared, moved or changed its meaning. */
export function useGuard(element: RefObject<HTMLElement | null>, meaning: string): GuardedHandlers {
	const { current } = useRef({ guard: new PressGuard(), place: "", meaning: "" });
	const look = (): void => {
		const place = measurePlace(element.current);
		if (place !== current.place || meaning !== current.meaning) current.guard.arm(performance.now());
		Object.assign(current, { place, meaning });
	};
	// A new meaning counts from its paint, like a new position.
	useEffect(look, [meaning]);
	useEffect(() => {
		const observer = new ResizeObserver(look);
		const dock = element.current?.closest(".dock");
		for (const one of [element.current, element.current?.parentElement, dock]) if (one) observer.observe(one);
		return () => observer.disconnect();
	}, [meaning]);
	const check = (kind: "press" | "click", event: Event): boolean => {
		look();
		return current.guard[kind](event.timeStamp);
	};
	return {
		onPointerDownCapture: (event) => {
			if (!check("press", event)) stopEvent(event);
		},
		onKeyDownCapture: (event) => {
			// Keys that answer nothing, such as the editor's shortcuts, always pass.
			const counts = check("press", event);
			if (isAnswer(event) && (!counts || event.repeat)) stopEvent(event);
		},
		onClickCapture: (event) => {
			if (!check("click", event)) stopEvent(event);
		},
	};
}

export function stopEvent(event: Event): void {
	event.preventDefault();
	event.stopPropagation();
}

/** Position in the window, without the user's scrolling. */
function measurePlace(element: HTMLElement | null): string {
	const list = element?.parentElement;
	const dock = list?.closest(".dock");
	if (!element || !list || !dock) return "";
	const top = Math.round(dock.getBoundingClientRect().top);
	return [element.offsetTop, list.offsetTop, top, element.offsetWidth].join(" ");
}

function isAnswer({ key, altKey }: KeyboardEvent): boolean {
	return key === "Enter" || key === " " || (altKey && key === "Backspace");
}
