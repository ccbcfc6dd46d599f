import { type ComponentChildren, h } from "preact";
import type { Drawn } from "../../later/drawn.ts";

/** What a part of the page has drawn, as elements. */
export function toElement(drawn: Drawn): ComponentChildren {
	if (typeof drawn === "string") return drawn;
	const { tag, attributes, style, children } = drawn;
	return h(tag, { ...attributes, class: drawn.class, style }, ...children.map(toElement));
}
