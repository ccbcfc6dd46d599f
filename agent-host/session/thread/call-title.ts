import { mapSaid, nameSaid, type Said } from "../../protocol/say.ts";
import type { CallItem } from "../../protocol/thread/item.ts";

const MAX_TITLE_CHARS = 200;

/** A title as text, and by name for readers of other languages. */
export type CallTitle = Pick<CallItem, "title" | "titleSaid">;

/** What a call does, no longer than fits in a row. */
export function writeTitle(said: Said): CallTitle {
	const short = mapSaid(said, shorten);
	return { title: short.text, ...(short.sentence && { titleSaid: nameSaid(short) }) };
}

/** The command that it runs; of a call that runs none, what it does. */
export function commandIn({ text, values }: Said): string {
	return String(values?.command ?? text);
}

function shorten(text: string): string {
	return text.length <= MAX_TITLE_CHARS ? text : `${text.slice(0, MAX_TITLE_CHARS)}… (${text.length} characters)`;
}
