import { SECTIONS } from "../context/catalog.ts";
import { diffWorld, stateWorld, type WorldDiff } from "../context/diff.ts";
import type { Fragment } from "../context/fragment.ts";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { HistoryItem } from "../history/item.ts";
import { estimateTokens } from "../history/tokens.ts";
import type { DurableEvent } from "../protocol/events.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { ThreadState } from "../store/thread-state.ts";

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

/** What the model is to be told of the world before it reads the next prompt. No baseline means everything, never a guess. */
export function dueFragments(
	{ told, history }: Pick<ThreadState, "told" | "history">,
	envelope: TurnEnvelope,
): WorldDiff {
	const inHistory = fragmentKindsIn(history);
	return Object.keys(told).length === 0
		? stateWorld(SECTIONS, envelope, inHistory)
		: diffWorld(SECTIONS, envelope, told, inHistory);
}

function fragmentKindsIn(history: readonly HistoryItem[]): ReadonlySet<string> {
	return new Set(history.flatMap((item) => (item.kind === "fragment" ? [item.fragment] : [])));
}
