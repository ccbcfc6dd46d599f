import type { HistoryItem } from "../history/history-item.ts";
import type { CacheBreak } from "../protocol/thread/cache-break.ts";
import type { TokenCount } from "../protocol/thread/events.ts";
import type { ModelRequest } from "./port.ts";
import { digestItem } from "./request-digest.ts";
import { toolsText } from "./tools-text.ts";

/** A request and the server it was sent to. */
export interface Sent {
	readonly request: ModelRequest;
	readonly server: string;
	/** The last compaction before it, if any. */
	readonly compaction: string | undefined;
}

/** Who keeps a cache. */
export function nameServer({
	baseUrl,
	provider,
}: {
	readonly baseUrl?: string | undefined;
	readonly provider: string;
}) {
	return baseUrl ?? provider;
}

/**
 * The first part of a request that breaks the provider's cache: everything before it was in the previous request at the
 * same place. Undefined if the shorter request is a prefix of the other.
 */
export function findCacheBreak(before: Sent, now: Sent): CacheBreak | undefined {
	const [old, next] = [before.request, now.request];
	if (before.server !== now.server || old.model !== next.model) return { reason: "model", part: "model" };
	if (old.reasoningEffort !== next.reasoningEffort) return { reason: "settings", part: "effort" };
	if (toolsText(old.tools) !== toolsText(next.tools)) return { reason: "tools", part: "tools" };
	if (old.instructions !== next.instructions) return { reason: "settings", part: "instructions" };
	// Providers put it before the conversation.
	if (JSON.stringify(old.outputSchema) !== JSON.stringify(next.outputSchema))
		return { reason: "settings", part: "schema" };
	const index = next.input.findIndex((item, at) => isOther(old.input[at], item));
	const item = next.input[index];
	if (item === undefined) return undefined;
	return { reason: before.compaction === now.compaction ? "history" : "compaction", part: kindOf(item), index };
}

/** Least tokens of a prefix that every provider caches; smaller ones may be left out without a word. */
const LEAST_CACHED = 4_096;
/** A smaller share of what both requests have in common means that the cache did not help. */
const LEAST_SHARE = 0.5;
/** Providers keep a prefix for at least this long, and promise no more. */
const LIFETIME_MS = 5 * 60_000;

/** A request with its time, and what the server counted for it. */
export interface Answered extends Sent {
	/** Milliseconds since 1970. */
	readonly sentAt: number;
	/** Undefined if the server did not count. */
	readonly usage: TokenCount | undefined;
}

/** Why a request was not read from the cache; undefined if it was, or if the server may have no cache. */
export function explainCacheMiss(
	before: Answered,
	now: Answered,
	/** Whether the server has ever reported a cache in this thread. */
	hasCache: boolean,
): CacheBreak | undefined {
	const broken = findCacheBreak(before, now);
	if (broken !== undefined || !hasCache || before.usage === undefined || now.usage === undefined) return broken;
	const common = Math.min(before.usage.input, now.usage.input);
	if (common < LEAST_CACHED || now.usage.cached >= LEAST_SHARE * common) return undefined;
	return { reason: now.sentAt - before.sentAt > LIFETIME_MS ? "idle" : "unsaid" };
}

function isOther(old: HistoryItem | undefined, item: HistoryItem): boolean {
	return old !== undefined && old !== item && digestItem(old) !== digestItem(item);
}

function kindOf(item: HistoryItem): string {
	return item.kind === "fragment" ? item.fragment : item.kind;
}
