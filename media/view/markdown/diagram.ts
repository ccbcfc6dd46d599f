import { type ComponentChildren, h } from "preact";
import { t } from "../../../l10n/t.ts";
import type { DrawnElement } from "../../later/drawn.ts";
import { LaterPart } from "./later-part.ts";
import { toElement } from "./to-element.ts";

const DIAGRAMS = new LaterPart(() => import("../../later/diagrams.ts"));

/** Drawings that are kept, since a block is drawn again with whatever comes; the oldest go first. */
const MAX_KEPT = 20;
const kept = new Map<string, DrawnElement | undefined>();

/** The drawing above its source, which can be opened; undefined if it is not drawn, or not yet. */
export function renderDiagram(source: string, code: ComponentChildren): ComponentChildren | undefined {
	const drawn = draw(source);
	if (drawn === undefined) return undefined;
	const { attributes } = drawn;
	return [
		h(
			"div",
			{ class: "diagram", tabIndex: 0 },
			toElement({ ...drawn, attributes: { ...attributes, "aria-label": t("Diagram") } }),
		),
		h("details", { class: "diagram-source" }, h("summary", null, t("Source")), code),
	];
}

function draw(source: string): DrawnElement | undefined {
	const part = DIAGRAMS.value;
	if (part === undefined) return undefined;
	if (!kept.has(source)) {
		const [oldest] = kept.keys();
		if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
		kept.set(source, part.drawDiagram(source));
	}
	return kept.get(source);
}
