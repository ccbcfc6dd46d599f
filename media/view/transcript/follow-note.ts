import type { Page } from "../../model/page.ts";
import { type BlockRow, expandRow, type Row } from "../../model/thread/rows.ts";
import { hasNote, type NoteEnd } from "../markdown/footnote.ts";

/** An element of a row that may not be drawn. */
interface Place {
	readonly key: string;
	readonly selector: string;
	readonly nth: number;
}

/** Where each note was last left from, so that the way back leads there. */
export type NotesFollowed = Map<string, Place>;

/** Takes the reader from a mark to its note, or from a note back to the mark, wherever in the answer that is. */
export function followNote(page: Page, link: HTMLElement, followed: NotesFollowed): void {
	const { mark, note } = link.dataset;
	const name = mark ?? note;
	const row = link.closest<HTMLElement>("[data-row]");
	if (name === undefined || !row) return;
	const key = row.dataset.row ?? "";
	const id = `${answerKey(key)} ${name}`;
	if (mark !== undefined) followed.set(id, placeIn(row, link, key));
	const end = mark === undefined ? "mark" : "note";
	const there = (end === "mark" ? followed.get(id) : undefined) ?? findNote(page.thread.rows.value, key, end, name);
	// What is no answer, such as a thought, is one row.
	const place = there ?? { key, selector: noteSelector(end, name), nth: 0 };
	page.scrollTo({ to: "row", key: place.key, focus: { selector: place.selector, nth: place.nth } });
}

/** The first block of the same answer that has that end of the footnote. */
export function findNote(rows: readonly Row[], from: string, end: NoteEnd, name: string): Place | undefined {
	const answer = answerKey(from);
	const blocks = rows
		.flatMap((row) => (row.type === "unsplit" && row.key === answer ? expandRow(row) : [row]))
		.filter((row): row is BlockRow => row.type === "block" && answerKey(row.key) === answer);
	const found = blocks.find(({ block, references }) => hasNote(block.source, references, end, name));
	return found && { key: found.key, selector: noteSelector(end, name), nth: 0 };
}

/** Blocks are numbered after the key of their answer. */
function answerKey(key: string): string {
	return key.replace(/\.\d+$/, "");
}

function placeIn(row: HTMLElement, link: HTMLElement, key: string): Place {
	const selector = noteSelector("mark", link.dataset.mark ?? "");
	return { key, selector, nth: [...row.querySelectorAll(selector)].indexOf(link) };
}

/** Names of notes hold letters, digits and hyphens only. */
function noteSelector(end: NoteEnd, name: string): string {
	return `[data-${end}="${name}"]`;
}
