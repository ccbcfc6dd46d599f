import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Up to this many laid-out lines count as read without scrolling. */
const UNREAD_LINES = 20;

interface Props {
	readonly label: string;
	/** Called when the end has been visible, or if the part is short. */
	readonly onRead: () => void;
	readonly children: ComponentChildren;
}

/** A part that scrolls if it is long, and knows whether its end has been visible. */
export function LongPart({ label, onRead, children }: Props) {
	const part = useRef<HTMLElement>(null);
	const end = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		if (!part.current || !end.current) return;
		const line = Number.parseFloat(getComputedStyle(part.current).lineHeight);
		const top = part.current.firstElementChild?.getBoundingClientRect().top ?? 0;
		if (end.current.getBoundingClientRect().top - top < (UNREAD_LINES + 0.5) * line) return onRead();
		const observer = new IntersectionObserver((sightings) => {
			if (!sightings.some(({ isIntersecting }) => isIntersecting)) return;
			observer.disconnect();
			onRead();
		});
		observer.observe(end.current);
		return () => observer.disconnect();
	}, []);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section ref={part} class="long-part" tabIndex={0} aria-label={label}>
			{children}
			<div ref={end} class="long-part-end" />
		</section>
	);
}
