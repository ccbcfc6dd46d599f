import { compactedIntent, historyBridge } from "../context/fragments/compacted.ts";
import type { HistoryItem, MessageMark } from "../history/history-item.ts";
import { cutToFit } from "./cut-to-fit.ts";
import { readIntent, SHOWN_TOKENS } from "./verbatim.ts";

/** The user's messages in a history. */
export interface UserMessages {
	/** Without duplicates, oldest first; of equal messages, the last one. */
	readonly record: readonly string[];
	/** The messages of the newest turn, oldest first: they are still unanswered. */
	readonly asked: readonly string[];
	/** The request behind the task: the one that a compaction inside this turn named, otherwise the turn's prompt. */
	readonly request: string;
	/** The request that an earlier compaction named, if another turn has begun since. */
	readonly earlier: string | undefined;
}

interface Said {
	readonly text: string;
	/** Undefined for messages since the last compaction. */
	readonly mark: MessageMark | undefined;
	/** Index in the history. */
	readonly at: number;
}

type Fragment = Extract<HistoryItem, { kind: "fragment" }>;

/** Reads the user's messages from a history. `starts` are the indexes at which turns begin. */
export function readUserMessages(items: readonly HistoryItem[], starts: readonly number[]): UserMessages {
	const said = orderMessages(items);
	const record = lastOfEach(said.map(({ text }) => text));
	const named = said.findLast(({ mark }) => mark?.request)?.text;
	const began = starts.findLast((start) => said.some(({ at, mark }) => at >= start && mark === undefined));
	const isAsked = ({ at, mark }: Said) => (began === undefined ? (mark?.asked ?? mark === undefined) : at >= began);
	const asked = lastOfEach(said.filter(isAsked).map(({ text }) => text));
	const prompt = asked[0] ?? record.at(-1) ?? "";
	// If a compaction cut through the turn, its beginning is gone from the history, but the request named then is still
	// valid.
	return began === undefined
		? { record, asked, request: named ?? prompt, earlier: undefined }
		: { record, asked, request: prompt, earlier: named };
}

/** The mark of a kept message. */
export function makeMark(text: string, request: string, asked: readonly string[]): MessageMark {
	return { ...(text === request ? { request: true } : {}), ...(asked.includes(text) ? { asked: true } : {}) };
}

/** All user messages, oldest first. Messages that compactions kept appear where they were said, quoted or not. */
function orderMessages(items: readonly HistoryItem[]): readonly Said[] {
	let said: Said[] = [];
	/** Kept messages whose position among the quotes has not been reached yet. */
	let beside: { readonly one: Said; readonly after: number }[] = [];
	const take = (quoted: readonly Said[]): void => {
		for (let index = 0; index <= quoted.length; index += 1) {
			const isLast = index === quoted.length;
			said.push(...beside.filter(({ after }) => after === index || (isLast && after > index)).map(({ one }) => one));
			said.push(...quoted.slice(index, index + 1));
		}
		beside = [];
	};
	for (const [at, item] of items.entries()) {
		if (item.kind === "userMessage" && item.kept !== undefined) {
			const { after, ...mark } = item.kept;
			beside.push({ one: { text: item.text, mark, at }, after });
		} else if (item.kind === "userMessage") {
			take([]);
			said.push({ text: item.text, mark: undefined, at });
		} else if (item.kind === "fragment" && item.quotes !== undefined) {
			if (item.marks === undefined) said = withOldMarks(said, item);
			const marks = item.marks ?? guessOldMarks(item, item.quotes);
			take(item.quotes.map((text, index) => ({ text, mark: marks[index] ?? {}, at })));
		} else if (item.kind === "fragment" && item.fragment === historyBridge.kind) take([]);
	}
	take([]);
	return said;
}

// Compactions of older releases put the request before all other quotes and marked nothing. We cannot know whether the
// others are older or newer, so both the request and the newest of the others are kept.

function guessOldMarks(item: Fragment, quotes: readonly string[]): readonly MessageMark[] {
	const isRequest = requestIn(item) === quotes[0];
	return quotes.map((_, index) => ({
		...(index === 0 && isRequest ? { request: true as const } : {}),
		...((index === 0 && isRequest) || index === quotes.length - 1 ? { asked: true as const } : {}),
	}));
}

/** Messages before such quotes did not fit among them; a request was cut to its beginning and end. */
function withOldMarks(said: readonly Said[], item: Fragment): Said[] {
	const shown = requestIn(item);
	const request = said.findLast(({ text }) => text !== item.quotes?.[0] && cutToFit(text, SHOWN_TOKENS) === shown);
	return said.map((one) =>
		one.mark !== undefined ? one : { ...one, mark: one === request ? { request: true, asked: true } : {} },
	);
}

function requestIn({ text, quotes = [] }: Fragment): string | undefined {
	const intent = readIntent(compactedIntent.read(text) ?? "", quotes);
	return "missing" in intent ? undefined : intent.request;
}

function lastOfEach(texts: readonly string[]): readonly string[] {
	return [...new Set([...texts].reverse())].reverse();
}
