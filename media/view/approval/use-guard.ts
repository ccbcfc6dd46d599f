import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { GUARD_MS, PressGuard } from "../../model/approval/press-guard.ts";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";

interface GuardedHandlers {
	readonly onInputCapture: (event: Event) => void;
	readonly onPointerDownCapture: (event: Event) => void;
	readonly onKeyDownCapture: (event: KeyboardEvent) => void;
	readonly onClickCapture: (event: Event) => void;
}

interface Guarded {
	readonly handlers: GuardedHandlers;
	/** A press was ignored just now: say so, or the user waits for its effect. */
	readonly isRefused: boolean;
}

interface GuardOptions {
	/** How long presses are ignored. */
	readonly ms?: number;
	/** Keys that answer besides those that press a button. */
	readonly alsoAnswers?: (event: KeyboardEvent) => boolean;
}

/** How long an ignored press is mentioned. */
const REFUSED_MS = 3_000;

/** Ignores presses on an element of the approval list that has just appeared, moved or changed its meaning. */
export function useGuard(
	element: RefObject<HTMLElement | null>,
	meaning: string,
	{ ms = GUARD_MS, alsoAnswers = () => false }: GuardOptions = {},
): Guarded {
	const [refusals, setRefusals] = useState(0);
	useEffect(() => {
		if (refusals === 0) return;
		const timer = setTimeout(() => setRefusals(0), REFUSED_MS);
		return () => clearTimeout(timer);
	}, [refusals]);
	const { current } = useRef({ guard: new PressGuard(), place: "", meaning: "" });
	const shown = usePage().timesShown.value;
	const readPlace = (): string => `${shown} ${measurePlace(element.current)}`;
	const look = (): void => {
		const place = readPlace();
		if (place !== current.place || meaning !== current.meaning) current.guard.arm(performance.now(), ms);
		Object.assign(current, { place, meaning });
	};
	// A new meaning or position counts from its paint, not from the press that finds it.
	useEffect(look);
	useEffect(() => {
		const observer = new ResizeObserver(look);
		const dock = element.current?.closest(".dock");
		const list = element.current?.parentElement;
		for (const one of [element.current, list, dock]) if (one) observer.observe(one);
		return () => observer.disconnect();
	}, [meaning]);
	const check = (kind: "press" | "click", event: Event): boolean => {
		look();
		return current.guard[kind](event.timeStamp);
	};
	const refuse = (event: Event): void => {
		stopEvent(event);
		setRefusals((before) => before + 1);
	};
	const handlers: GuardedHandlers = {
		// Users who write an answer know the card: that its field grows does not surprise them.
		onInputCapture: ({ target }) => {
			if (isInForm(target)) current.place = readPlace();
		},
		onPointerDownCapture: (event) => {
			if (!check("press", event) && isOnButton(event)) refuse(event);
		},
		onKeyDownCapture: (event) => {
			// Keys that answer nothing, such as the editor's shortcuts, always pass.
			const counts = check("press", event);
			if (!isAnswer(event) && !alsoAnswers(event)) return;
			if (!counts) refuse(event);
			else if (event.repeat) stopEvent(event);
		},
		onClickCapture: (event) => {
			if (!check("click", event) && isOnButton(event)) refuse(event);
		},
	};
	return { handlers, isRefused: refusals > 0 };
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

function isOnButton({ target }: Event): boolean {
	return target instanceof Element && target.closest("button") !== null;
}

function isInForm(target: EventTarget | null): boolean {
	return target instanceof Element && target.closest(".question-form, .note") !== null;
}

/** In a field, the same keys write, and Enter sends what is written. */
function isAnswer(event: KeyboardEvent): boolean {
	const { key, altKey, shiftKey, target } = event;
	if (target instanceof HTMLTextAreaElement)
		return key === "Enter" && !shiftKey && !isInInputMethod(event) && isInForm(target);
	return key === "Enter" || key === " " || (altKey && key === "Backspace");
}
