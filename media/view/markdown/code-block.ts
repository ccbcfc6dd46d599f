import { type ComponentChildren, h } from "preact";
import { t } from "../../../l10n/t.ts";
import { showInvisible } from "../invisible.ts";
import { highlight } from "./highlight.ts";

interface CodeBlock {
	readonly code: string;
	/** What stands after the fence, such as `ts` or `ts title=main.ts`. */
	readonly info: string;
	/** An open fence still grows; colouring it again with every piece would cost more than it tells. */
	readonly closed: boolean;
}

/** A code block with its language and a button that copies it. */
export function renderCodeBlock({ code, info, closed }: CodeBlock): ComponentChildren {
	const language = info.trim().split(/\s+/)[0] ?? "";
	const text = showInvisible(code.endsWith("\n") ? code.slice(0, -1) : code);
	const copy = h(
		"button",
		{ type: "button", class: "icon-button", "data-action": "copy", title: t("Copy"), "aria-label": t("Copy code") },
		h("span", { class: "codicon codicon-copy", "aria-hidden": "true" }),
	);
	const children = closed ? highlight(text, language) : splitLines(text);
	return h(
		"div",
		{ class: "code" },
		h("div", { class: "code-bar" }, h("span", { class: "code-language" }, showInvisible(language) || t("text")), copy),
		h("pre", { tabIndex: 0 }, h("code", null, children)),
	);
}

/** Lines that are laid out as one while code still grows: only the last such piece is laid out again. */
const LINES_PER_PIECE = 50;

function splitLines(text: string): ComponentChildren[] {
	const pieces: ComponentChildren[] = [];
	for (let start = 0; start < text.length; ) {
		const end = endOfPiece(text, start);
		pieces.push(h("span", { class: "code-piece" }, text.slice(start, end)));
		start = end;
	}
	return pieces;
}

function endOfPiece(text: string, start: number): number {
	let end = start;
	for (let line = 0; line < LINES_PER_PIECE; line++) {
		const next = text.indexOf("\n", end);
		if (next < 0) return text.length;
		end = next + 1;
	}
	return end;
}
