import type { Page } from "../../model/page.ts";
import { type BlockRow, expandRow, type Row } from "../../model/thread/rows.ts";
import { hasNote, type NoteEnd } from "../markdown/footnote.ts";

/** An element in a row that may not be drawn yet. */
interface Place {
	readonly key: string;
	readonly selector: string;
	readonly nth: number;
}

/** The mark from which each note was opened last, so that the way back leads there. */
export type NotesFollowed = Map<string, Place>;

/** Scrolls from a mark to its note, or from a note back to its mark, anywhere in the answer. */
export function followNote(page: Page, link: HTMLElement, followed: NotesFollowed): void {
	const { mark, note } = link.dataset;
	const name = mark ?? note;
	const row = link.closest<HTMLElement>("[data-row]");
	if (name === undefined || !row) return;
	const key = row.dataset.row ?? "";
	const id = `${answerKey(key)} ${name}`;
	if (mark !== undefined) followed.set(id, locateLink(row, link, key));
	const end = mark === undefined ? "mark" : "note";
	const there = (end === "mark" ? followed.get(id) : undefined) ?? findNote(page.thread.rows.value, key, end, name);
	// Anything but an answer, such as reasoning, is a single row.
	const place = there ?? { key, selector: noteSelector(end, name), nth: 0 };
	page.scrollTo({ to: "row", key: place.key, focus: { selector: place.selector, nth: place.nth } });
}

/** The first block of the answer with this end of the footnote. */
export function findNote(rows: readonly Row[], from: string, end: NoteEnd, name: string): Place | undefined {
	const answer = answerKey(from);
	const blocks = rows
		.flatMap((row) => (row.type === "unsplit" && row.key === answer ? expandRow(row) : [row]))
		.filter((row): row is BlockRow => row.type === "block" && answerKey(row.key) === answer);
	const found = blocks.find(({ block, references }) => hasNote(block.source, references, end, name));
	return found && { key: found.key, selector: noteSelector(end, name), nth: 0 };
}

/** The key of a block is the key of its answer and a number. */
function answerKey(key: string): string {
	return key.replace(/\.\d+$/, "");
}

function locateLink(row: HTMLElement, link: HTMLElement, key: string): Place {
	const selector = noteSelector("mark", link.dataset.mark ?? "");
	return { key, selector, nth: [...row.querySelectorAll(selector)].indexOf(link) };
}

/** Note names contain letters, digits and hyphens only. */
function noteSelector(end: NoteEnd, name: string): string {
	return `[data-${end}="${name}"]`;
}
