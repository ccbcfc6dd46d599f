import type { Token } from "markdown-it";
import { type ComponentChildren, h } from "preact";
import { t } from "../../../l10n/t.ts";
import { parseMarkdown, type References } from "../../model/markdown/markdown-parser.ts";

/** The two ends of a footnote: the mark in the text, and the note. */
export type NoteEnd = "mark" | "note";

export function renderMark(name: string): ComponentChildren {
	const link = { class: "link", role: "link", tabIndex: 0, "data-mark": name, "aria-label": t("Note {0}", name) };
	return h("sup", { class: "footnote-mark" }, h("a", link, name));
}

export function renderNote(name: string): ComponentChildren {
	const label = t("Note {0}, back to the text", name);
	const link = { class: "footnote link", role: "link", tabIndex: 0, "data-note": name, "aria-label": label };
	return h("a", link, `${name}.`);
}

/** Whether a block contains this end of the footnote. */
export function hasNote(source: string, references: References, end: NoteEnd, name: string): boolean {
	const type = end === "mark" ? "footnote_mark" : "footnote";
	const isIt = (token: Token): boolean => token.type === type && token.content === name;
	return (
		source.includes(`[^${name}]`) && parseMarkdown(source, references).some(({ children }) => children?.some(isIt))
	);
}
