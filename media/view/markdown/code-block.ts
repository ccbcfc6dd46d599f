import { type ComponentChildren, h } from "preact";
import { type Message, t } from "../../../l10n/t.ts";
import { showInvisible, showPath } from "../../model/words/invisible.ts";
import { renderDiagram } from "./diagram.ts";
import { highlight } from "./highlight.ts";

interface CodeBlock {
	readonly code: string;
	/** The info string after the fence, such as `ts` or `ts title=main.ts`. */
	readonly info: string;
	/** An open fence is still growing; highlighting it again with every delta would cost too much. */
	readonly closed: boolean;
}

/** Actions on code, with their labels. The transcript handles the clicks. */
const ACTIONS: readonly (readonly [action: CodeAction, icon: string, name: Message, label: Message])[] = [
	["apply", "git-pull-request-go-to-changes", "Apply to File", "Apply code to file"],
	["insert", "insert", "Insert at Cursor", "Insert code at cursor"],
	["copy", "copy", "Copy", "Copy code"],
];

export type CodeAction = "apply" | "insert" | "copy";

/** A code block with its language and actions. */
export function renderCodeBlock({ code, info, closed }: CodeBlock): ComponentChildren {
	const [word = ""] = info.trim().split(/\s+/);
	const [language = ""] = word.split(":");
	const path = readFileName(info);
	const text = showInvisible(code.endsWith("\n") ? code.slice(0, -1) : code);
	const buttons = ACTIONS.map(([action, icon, name, label]) =>
		h(
			"button",
			{ type: "button", class: "icon-button", "data-action": action, title: t(name), "aria-label": t(label) },
			h("span", { class: `codicon codicon-${icon}`, "aria-hidden": "true" }),
		),
	);
	const children = closed ? highlight(text, language) : splitLines(text);
	const source = h("pre", { tabIndex: 0 }, h("code", null, children));
	const diagram = closed && language === "mermaid" ? renderDiagram(text, source) : undefined;
	return h(
		"div",
		{ class: "code", ...(path === undefined ? {} : { "data-path": path }) },
		h(
			"div",
			{ class: "code-bar" },
			h("span", { class: "code-language" }, showPath(path ?? word) || t("text")),
			h("span", { class: "code-actions" }, ...buttons),
		),
		diagram ?? source,
	);
}

/**
 * The file that the code is for, as models write it after a fence: `ts title="src/a.ts"`, `ts src/a.ts` or
 * `ts:src/a.ts`.
 */
export function readFileName(info: string): string | undefined {
	const [, path] =
		/[\s:](?:(?:title|file|filename|path)=)?["']?((?:[\w@.-]+\/)*[\w@.-]+\.\w+)["']?\s*$/.exec(info.trim()) ?? [];
	return path;
}

/** While code grows, this many lines are one element, so that only the last element is laid out again. */
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
