import type { Token } from "markdown-it";
import { type ComponentChildren, h } from "preact";
import type { DrawnElement } from "../../later/drawn.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { LaterPart } from "./later-part.ts";
import { toElement } from "./to-element.ts";

const MATH = new LaterPart(() => import("../../later/math.ts"));

/** Formulas that are kept as drawn, since a block is drawn again with every word that comes; the oldest go first. */
const MAX_KEPT = 300;
const kept = new Map<string, DrawnElement | undefined>();

/** A formula; as it was written if it cannot be drawn, and until the part that draws it has been read. */
export function renderMath({ type, content, markup }: Token): ComponentChildren {
	const isBlock = type === "math_block" || markup === "$$" || markup === "\\[";
	const written = showInvisible(`${markup}${content}${CLOSING[markup] ?? ""}`);
	const drawn = draw(content.trim(), isBlock);
	const look = isBlock ? "formula formula-block" : "formula";
	if (drawn === undefined)
		return h("span", { class: isBlock ? "formula-source formula-block" : "formula-source" }, written);
	return h("span", { class: look, title: written, ...(isBlock ? { tabIndex: 0 } : {}) }, toElement(drawn));
}

const CLOSING: Readonly<Record<string, string>> = { $: "$", $$: "$$", "\\(": "\\)", "\\[": "\\]" };

function draw(source: string, isBlock: boolean): DrawnElement | undefined {
	const part = MATH.value;
	if (part === undefined) return undefined;
	const key = `${isBlock}${source}`;
	if (!kept.has(key)) {
		const [oldest] = kept.keys();
		if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
		kept.set(key, part.drawMath(source, isBlock));
	}
	return kept.get(key);
}
