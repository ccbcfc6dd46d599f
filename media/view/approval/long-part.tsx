import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Up to so many lines as they are laid out, the end need not have been in sight. */
const UNREAD_LINES = 20;

interface Props {
	readonly label: string;
	/** Told when the end has been in sight, or need not be. */
	readonly onRead: () => void;
	readonly children: ComponentChildren;
}

/** A part that scrolls by itself when it is long, and knows whether its end has been seen. */
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
