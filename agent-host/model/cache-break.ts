import type { HistoryItem } from "../history/history-item.ts";
import type { CacheBreak } from "../protocol/thread/events.ts";
import type { ModelRequest } from "./port.ts";
import { digestItem } from "./request-digest.ts";
import { toolsText } from "./tools-text.ts";

/** A request and the server it was sent to. */
export interface Sent {
	readonly request: ModelRequest;
	readonly server: string;
}

/**
 * The first part of a request that breaks the provider's cache: everything before it was in the previous request at the
 * same place. Undefined if the shorter request is a prefix of the other.
 */
export function findCacheBreak(before: Sent, now: Sent): CacheBreak | undefined {
	const [old, next] = [before.request, now.request];
	if (before.server !== now.server || old.model !== next.model) return { part: "model" };
	if (old.reasoningEffort !== next.reasoningEffort) return { part: "effort" };
	if (toolsText(old.tools) !== toolsText(next.tools)) return { part: "tools" };
	if (old.instructions !== next.instructions) return { part: "instructions" };
	const index = next.input.findIndex((item, at) => isOther(old.input[at], item));
	const item = next.input[index];
	return item === undefined ? undefined : { part: kindOf(item), index };
}

function isOther(old: HistoryItem | undefined, item: HistoryItem): boolean {
	return old !== undefined && old !== item && digestItem(old) !== digestItem(item);
}

function kindOf(item: HistoryItem): string {
	return item.kind === "fragment" ? item.fragment : item.kind;
}
