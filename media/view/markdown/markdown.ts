import type { Token } from "markdown-it";
import { type ComponentChildren, Fragment, h } from "preact";
import { t } from "../../../l10n/t.ts";
import { type Block, isCodeFence } from "../../model/markdown/blocks.ts";
import { parseMarkdown, type References, readFileLink } from "../../model/markdown/markdown-parser.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { countLines } from "../../model/words/text.ts";
import { renderCodeBlock } from "./code-block.ts";
import { renderMark, renderNote } from "./footnote.ts";
import { renderMath } from "./formula.ts";
import { renderFileLink, renderFileName, renderLink } from "./link.ts";

/** Above these limits a block that is not code is shown as source: formatting it would block the page. */
export const MAX_FORMATTED_CHARS = 50_000;
export const MAX_FORMATTED_LINES = 1_000;

/** Renders a block as elements. No text of the model is ever parsed as HTML. */
export function renderBlock(block: Block, references: References): ComponentChildren {
	if (isTooLong(block.source)) return h("div", { class: "plain" }, showInvisible(block.source));
	return renderTokens(parseMarkdown(block.source, references), block);
}

interface Frame {
	readonly token: Token | undefined;
	readonly children: ComponentChildren[];
}

function renderTokens(tokens: readonly Token[], block: Block): ComponentChildren[] {
	const stack: Frame[] = [{ token: undefined, children: [] }];
	for (const token of tokens) {
		if (token.nesting === 1) stack.push({ token, children: [] });
		else if (token.nesting === 0) lastFrame(stack).children.push(renderLeaf(token, block));
		else {
			const { token: opening, children } = lastFrame(stack);
			stack.pop();
			if (opening) lastFrame(stack).children.push(renderElement(opening, children));
		}
	}
	return stack[0]?.children ?? [];
}

function lastFrame(stack: readonly Frame[]): Frame {
	return stack.at(-1) ?? { token: undefined, children: [] };
}

function renderLeaf(token: Token, block: Block): ComponentChildren {
	switch (token.type) {
		case "inline":
			return h(Fragment, null, ...renderTokens(token.children ?? [], block));
		case "code_inline":
			return renderFileName(token.content) ?? h("code", { class: "code-inline" }, showInvisible(token.content));
		case "file_name":
			return renderFileName(token.content, "span") ?? showInvisible(token.content);
		case "fence":
		case "code_block":
			return renderCodeBlock({ code: token.content, info: token.info, closed: block.finished });
		case "math_inline":
		case "math_block":
			return renderMath(token);
		case "footnote_mark":
			return renderMark(token.content);
		case "footnote":
			return renderNote(token.content);
		case "softbreak":
			return "\n";
		case "hardbreak":
			return h("br", null);
		case "hr":
			return h("hr", null);
		case "image":
			return h(
				"span",
				{ class: "image-text" },
				showInvisible(t("Image: {0} ({1})", token.content || t("no description"), String(token.attrGet("src")))),
			);
		case "reference_definition":
			return null;
		default:
			return showInvisible(token.content);
	}
}

function renderElement(token: Token, children: ComponentChildren[]): ComponentChildren {
	switch (token.type) {
		case "paragraph_open":
			return token.hidden ? h(Fragment, null, ...children) : h("p", null, ...children);
		case "heading_open":
			return renderHeading(token.tag, children);
		case "link_open":
			return renderTarget(String(token.attrGet("href")), children);
		case "ordered_list_open":
			return h("ol", { start: Number(token.attrGet("start") ?? 1) }, ...children);
		case "list_item_open":
			return renderListItem(token, children);
		case "table_open":
			return h("div", { class: "table", tabIndex: 0 }, h("table", null, ...children));
		case "th_open":
		case "td_open":
			return h(token.tag, { class: readAlignment(token) }, ...children);
		default:
			return h(token.tag, null, ...children);
	}
}

function renderTarget(url: string, children: ComponentChildren[]): ComponentChildren {
	const file = readFileLink(url);
	return file === undefined ? renderLink(url, children) : renderFileLink(file, children);
}

/** The panel's heading is level 1, so headings of an answer start at level 2. */
function renderHeading(tag: string, children: ComponentChildren[]): ComponentChildren {
	const level = Number(tag.slice(1));
	return h(`h${Math.min(level + 1, 6)}`, { class: `heading-${level}` }, ...children);
}

const ALIGNMENTS: Record<string, string> = {
	"text-align:center": "align-center",
	"text-align:right": "align-right",
};

function readAlignment(token: Token): string | undefined {
	return ALIGNMENTS[String(token.attrGet("style"))];
}

function renderListItem(token: Token, children: ComponentChildren[]): ComponentChildren {
	const task = token.meta?.task;
	if (task === undefined) return h("li", null, ...children);
	const icon = task === "done" ? "codicon-pass-filled" : "codicon-circle-large-outline";
	const label = task === "done" ? t("Done:") : t("To do:");
	const box = h("span", { class: `task-box codicon ${icon}`, role: "img", "aria-label": label });
	return h("li", { class: "task" }, box, ...children);
}

function isTooLong(source: string): boolean {
	if (isCodeFence(source)) return false;
	return source.length > MAX_FORMATTED_CHARS || countLines(source) > MAX_FORMATTED_LINES;
}
