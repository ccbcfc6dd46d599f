import { compactedIntent, historyBridge } from "../context/fragments/compacted.ts";
import type { HistoryItem, MessageMark } from "../history/history-item.ts";
import { cutToFit } from "./cut-to-fit.ts";
import { readIntent, SHOWN_TOKENS } from "./verbatim.ts";

/** What the user has said, as far as a history holds it. */
export interface UsersWords {
	/** Each once, oldest first; of equal messages the last. */
	readonly record: readonly string[];
	/** Those of the newest turn, oldest first: what the user waits for. */
	readonly asked: readonly string[];
	/** What the task goes back to: what a compaction inside this turn named, else the turn's prompt. */
	readonly request: string;
	/** What an earlier compaction named, when another turn has begun since. */
	readonly earlier: string | undefined;
}

interface Said {
	readonly text: string;
	/** Undefined for what was said since the last compaction. */
	readonly mark: MessageMark | undefined;
	/** Where it stands in the history. */
	readonly at: number;
}

type Fragment = Extract<HistoryItem, { kind: "fragment" }>;

/** Reads the user's words out of a history. `starts` are the places at which turns begin. */
export function wordsIn(items: readonly HistoryItem[], starts: readonly number[]): UsersWords {
	const said = inOrder(items);
	const record = lastOfEach(said.map(({ text }) => text));
	const named = said.findLast(({ mark }) => mark?.request)?.text;
	const began = starts.findLast((start) => said.some(({ at, mark }) => at >= start && mark === undefined));
	const isAsked = ({ at, mark }: Said) => (began === undefined ? (mark?.asked ?? mark === undefined) : at >= began);
	const asked = lastOfEach(said.filter(isAsked).map(({ text }) => text));
	const prompt = asked[0] ?? record.at(-1) ?? "";
	// A turn that a compaction has cut through has no beginning left in the history; what was named then still holds.
	return began === undefined
		? { record, asked, request: named ?? prompt, earlier: undefined }
		: { record, asked, request: prompt, earlier: named };
}

/** The mark of a message that is kept. */
export function markOf(text: string, request: string, asked: readonly string[]): MessageMark {
	return { ...(text === request ? { request: true } : {}), ...(asked.includes(text) ? { asked: true } : {}) };
}

/** Everything the user said, oldest first: what compactions kept stands where it was said, whether quoted or not. */
function inOrder(items: readonly HistoryItem[]): readonly Said[] {
	let said: Said[] = [];
	/** Messages kept beside quotes that have not been met. */
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
			const marks = item.marks ?? oldMarks(item, item.quotes);
			take(item.quotes.map((text, index) => ({ text, mark: marks[index] ?? {}, at })));
		} else if (item.kind === "fragment" && item.fragment === historyBridge.kind) take([]);
	}
	take([]);
	return said;
}

// Compactions of older releases put the request before all other quotes and marked nothing. Whether the others are older or
// newer cannot be told, so neither the request nor the newest of the others is let go.

function oldMarks(item: Fragment, quotes: readonly string[]): readonly MessageMark[] {
	const isRequest = requestIn(item) === quotes[0];
	return quotes.map((_, index) => ({
		...(index === 0 && isRequest ? { request: true as const } : {}),
		...((index === 0 && isRequest) || index === quotes.length - 1 ? { asked: true as const } : {}),
	}));
}

/** What stood before such quotes had no room among them; a request did only with its beginning and end. */
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
