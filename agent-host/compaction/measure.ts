import { foldGrowing } from "../history/fold-growing.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { carriedTokens } from "../history/token-usage.ts";
import { estimateTokens, IMAGE_TOKENS, mostTokens } from "../history/tokens.ts";
import type { TokenCount } from "../protocol/thread/events.ts";

/** Tokens that a provider adds for each entry. */
const TOKENS_PER_ITEM = 8;
/**
 * A reported count is ignored if it is smaller than our estimate by this factor, or larger by it and beyond the window.
 */
export const CONTRADICTION = 4;
// Overhead of a sealed item: the rest is base64, at four bytes a token.
const SEALED_ENVELOPE_BYTES = 650;

const known = new WeakMap<HistoryItem, number>();

/** Estimated tokens of one entry. Cached, because a long history is measured at every step. */
export function itemTokens(item: HistoryItem): number {
	const before = known.get(item);
	if (before !== undefined) return before;
	const tokens = TOKENS_PER_ITEM + contentTokens(item);
	known.set(item, tokens);
	return tokens;
}

export function historyTokens(items: readonly HistoryItem[]): number {
	return items.reduce((sum, item) => sum + itemTokens(item), 0);
}

/** The same for a whole context, which is measured again and again while it grows. */
export const inputTokens = foldGrowing<HistoryItem, number>(
	() => 0,
	(sum, item) => sum + itemTokens(item),
);

/** The context size that the last response, or the last rewrite, reported. */
export interface ReportedUsage {
	readonly last: TokenCount;
	readonly window: number;
	/** Number of history entries that the counts include. */
	readonly items: number;
}

/**
 * Tokens of the next request if nothing were added: the provider's count plus our estimate of the entries since.
 * Without a count, or if it contradicts our estimate, the estimate alone.
 */
export function contextTokens(
	history: readonly HistoryItem[],
	fixed: number,
	reported: ReportedUsage | undefined,
): number {
	const own = fixed + inputTokens(history);
	if (reported === undefined || reported.items > history.length) return own;
	if (isFull(reported)) return Math.max(own, reported.window);
	const carried = carriedTokens(reported.last, findAnswer(history, reported.items));
	const sum = carried + historyTokens(history.slice(reported.items));
	return isBelievable(sum, own, reported.window) ? sum : own;
}

/**
 * At least as many as `contextTokens` with at most so many fixed ones. Takes a fraction of the time, because no text is
 * looked at.
 */
export function mostContextTokens(
	history: readonly HistoryItem[],
	mostFixed: number,
	reported: ReportedUsage | undefined,
): number {
	const own = mostFixed + mostInputTokens(history);
	if (reported === undefined || reported.items > history.length) return own;
	if (isFull(reported)) return Math.max(own, reported.window);
	const since = history.slice(reported.items).reduce((sum, item) => sum + mostItemTokens(item), 0);
	return Math.max(own, reported.last.total + since);
}

const mostInputTokens = foldGrowing<HistoryItem, number>(
	() => 0,
	(sum, item) => sum + mostItemTokens(item),
);

function mostItemTokens(item: HistoryItem): number {
	return TOKENS_PER_ITEM + (item.kind === "userImage" ? IMAGE_TOKENS : mostTokens(countChars(item)));
}

/** Of all its texts; at least one for each. */
function countChars(item: HistoryItem): number {
	let chars = 0;
	for (const part of Object.values(item)) {
		if (typeof part === "string") chars += part.length + 1;
		else if (part !== undefined) chars += JSON.stringify(part).length;
	}
	return chars;
}

/** Tokens of a request as its server counted them, otherwise our estimate. */
export function requestTokens(
	history: readonly HistoryItem[],
	fixed: number,
	last: TokenCount,
	window: number,
): number {
	const own = fixed + inputTokens(history);
	return isBelievable(last.input, own, window) ? last.input : own;
}

function isBelievable(count: number, own: number, window: number): boolean {
	return Number.isFinite(count) && count <= Math.max(window, own * CONTRADICTION) && count >= own / CONTRADICTION;
}

/** The model's output in the answer that ends at an index. */
function findAnswer(history: readonly HistoryItem[], end: number): readonly HistoryItem[] {
	const start = history.findLastIndex((item, index) => index < end && !isSaid(item)) + 1;
	return history.slice(start, end);
}

/** Whether the model wrote it. */
export function isSaid({ kind }: HistoryItem): boolean {
	return kind === "agentMessage" || kind === "reasoning" || kind === "toolCall";
}

/** A usage value that records that the provider refused the context as too long, whatever it counted before. */
export function fullUsage(window: number): TokenCount {
	return { input: window, cached: 0, output: 0, reasoning: 0, total: window };
}

/** Whether the last request was refused as too long. */
export function isFull({ last, window }: ReportedUsage): boolean {
	return last.input === window && last.total === window && last.output === 0;
}

/** Like `itemTokens`, without the provider's overhead. */
export function contentTokens(item: HistoryItem): number {
	switch (item.kind) {
		case "fragment":
		case "userMessage":
			return estimateTokens(item.text);
		case "agentMessage":
			return estimateTokens(item.text) + extraTokens(item.extra);
		case "userImage":
			return IMAGE_TOKENS;
		case "reasoning":
			return estimateTokens(item.summary.join("")) + sealedTokens(item.encrypted ?? "");
		case "sealedSummary":
			return sealedTokens(item.encrypted);
		case "toolCall":
			return estimateTokens(item.name) + estimateTokens(item.arguments) + extraTokens(item.extra);
		case "toolOutput":
			return estimateTokens(item.output);
	}
}

function extraTokens(extra: Readonly<Record<string, unknown>> | undefined): number {
	return extra === undefined ? 0 : sealedTokens(JSON.stringify(extra));
}

function sealedTokens(encrypted: string): number {
	return Math.ceil(Math.max(0, (encrypted.length * 3) / 4 - SEALED_ENVELOPE_BYTES) / 4);
}
