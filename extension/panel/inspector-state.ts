import type { ResultOf } from "../../agent-host/protocol/method.ts";
import type { contextInspect, InspectedItem } from "../../agent-host/protocol/thread/context.ts";
import { sayHost } from "../../l10n/host-words.ts";
import type { InspectorItem, InspectorState } from "../../media/inspector-wire.ts";

const PREVIEW_CHARS = 160;

/** The next request for the page: everything but the texts, which it requests one by one. */
export function toInspectorState(result: ResultOf<typeof contextInspect>, revision: number): InspectorState {
	const turns = [...new Set(result.items.flatMap(({ turnId, compacted }) => (compacted ? [] : (turnId ?? []))))];
	const {
		compactedTurns = 0,
		model,
		effectiveWindow,
		autoCompactLimit,
		tokens,
		policy,
		policyDigest,
		firstUncached,
		cacheMiss,
		request,
		notFollowed,
		sources,
	} = result;
	return {
		revision,
		model,
		effectiveWindow,
		autoCompactLimit,
		tokens,
		policy: policy.map((one) => sayHost(one)),
		policyDigest,
		items: result.items.map((item) => toInspectorItem(item, turns, compactedTurns)),
		...(compactedTurns === 0 ? {} : { compactedTurns }),
		...(firstUncached === undefined ? {} : { firstUncached }),
		...(cacheMiss === undefined ? {} : { cacheMiss }),
		...(request === undefined ? {} : { request }),
		...(notFollowed === undefined ? {} : { notFollowed }),
		...(sources === undefined ? {} : { sources }),
	};
}

function toInspectorItem(
	{ text, turnId, ...item }: InspectedItem,
	turns: readonly string[],
	before: number,
): InspectorItem {
	const at = turnId === undefined || item.compacted ? -1 : turns.indexOf(turnId);
	return {
		...item,
		...(at < 0 ? {} : { turn: before + at + 1 }),
		preview: text.slice(0, PREVIEW_CHARS).replaceAll(/\s+/g, " ").trim(),
	};
}
