import { estimateTokens } from "../history/tokens.ts";
import { cutToFit, LEAST_PIECE } from "./cut-to-fit.ts";
import type { CompactionPlan } from "./plan-compaction.ts";

/** A user message that is kept: `text` is `original`, or as much of it as fits. */
export interface KeptMessage {
	readonly original: string;
	readonly text: string;
}

/** How many of the newest user messages are kept whenever the budget allows. */
export const RECENT_MESSAGES = 6;
/** Tokens around a message: its history entry and the text that introduces it. */
const AROUND_MESSAGE = 16;
/** Tokens of the intent's and the bridge's fixed text, and of the excerpt of a request that cannot be quoted whole. */
const AROUND_ALL = 350;
/** The smallest summary that can still say where to resume. Only the request in progress may leave less room. */
const LEAST_SUMMARY = 150;

/**
 * Chooses the user messages to keep, oldest first. The unanswered messages, the pinned ones and the active request may
 * fill the window, in this order; then the newest messages within their budget. The message that exceeds it is cut in
 * the middle.
 */
export function chooseMessages(
	plan: Pick<CompactionPlan, "record" | "asked" | "earlier" | "pinned" | "room">,
	request: string,
	quoted: readonly string[],
): readonly KeptMessage[] {
	const { record, asked, earlier = "", pinned, room } = plan;
	const kept = new Map<string, string>();
	let used = 0;
	const keep = (original: string, limit: number): void => {
		if (kept.has(original) || original === "") return;
		const text = cutToFit(original, limit - used - AROUND_MESSAGE);
		if (text === "") return;
		kept.set(original, text);
		used += estimateTokens(text) + AROUND_MESSAGE;
	};
	const whole = room.hard - AROUND_ALL - LEAST_SUMMARY;
	const most = Math.min(whole, room.hard - room.summary - AROUND_ALL);
	for (const message of [asked.at(-1) ?? record.at(-1) ?? "", asked[0] ?? ""]) keep(message, whole);
	for (const message of [...pinned].reverse()) if (fits(message, most - used)) keep(message, most);
	for (const message of [request, earlier, ...[...asked].reverse()]) keep(message, most);
	const limit = Math.min(used + room.kept, Math.max(used, room.soft - room.summary));
	for (const message of sortByWorth(record, quoted)) {
		if (used + AROUND_MESSAGE + LEAST_PIECE > limit) break;
		keep(message, limit);
	}
	const inOrder = [...pinned.filter((message) => !record.includes(message)), ...record];
	return inOrder.flatMap((original) => {
		const text = kept.get(original);
		return text === undefined ? [] : [{ original, text }];
	});
}

function fits(message: string, tokens: number): boolean {
	return estimateTokens(message) + AROUND_MESSAGE <= tokens;
}

function sortByWorth(record: readonly string[], quoted: readonly string[]): readonly string[] {
	const newestFirst = [...record].reverse();
	return [
		...newestFirst.slice(0, RECENT_MESSAGES),
		...newestFirst.filter((message) => quoted.includes(message)),
		...newestFirst,
	];
}
