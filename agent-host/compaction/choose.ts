import { estimateTokens } from "../history/tokens.ts";
import { cutToFit, LEAST_PIECE } from "./cut-to-fit.ts";
import type { CompactionPlan } from "./plan-compaction.ts";

/** A message of the user that stays: `text` is `original`, or what of it fits. */
export interface KeptMessage {
	readonly original: string;
	readonly text: string;
}

/** The newest of the user's messages that are always wanted, if the budget allows. */
export const RECENT_MESSAGES = 6;
/** What stands around a message: its entry, and the words that introduce it. */
const AROUND_MESSAGE = 16;
/** The words of the intent and the bridge, and the beginning of a request that cannot be quoted whole. */
const AROUND_ALL = 350;
/** A summary of this size still says where to resume; less is left to it only for what the user waits for. */
const LEAST_SUMMARY = 150;

/**
 * Which of the user's messages stay, oldest first. What the user waits for, what is pinned and what the task goes back to may
 * fill the window, in this order; then the newest within their budget, the one that crosses it cut in the middle.
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
	for (const message of inOrderOfWorth(record, quoted)) {
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

function inOrderOfWorth(record: readonly string[], quoted: readonly string[]): readonly string[] {
	const newestFirst = [...record].reverse();
	return [
		...newestFirst.slice(0, RECENT_MESSAGES),
		...newestFirst.filter((message) => quoted.includes(message)),
		...newestFirst,
	];
}
