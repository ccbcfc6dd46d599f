import type { Fragment } from "../context/fragment.ts";
import type { HistoryItem } from "../history/item.ts";
import { estimateTokens } from "../history/tokens.ts";
import type { DurableEvent } from "../protocol/events.ts";
import type { TurnId } from "../protocol/ids.ts";

/** A fragment as the user sees it in the transcript. */
export function asContextUpdate(turnId: TurnId, fragments: readonly Fragment[]): DurableEvent {
	return {
		type: "contextUpdated",
		turnId,
		fragments: fragments.map(({ kind, role, origin, summary, text }) => ({
			kind,
			role,
			origin,
			summary,
			tokens: estimateTokens(text),
		})),
	};
}

export function fragmentKindsIn(history: readonly HistoryItem[]): ReadonlySet<string> {
	return new Set(history.flatMap((item) => (item.kind === "fragment" ? [item.fragment] : [])));
}
