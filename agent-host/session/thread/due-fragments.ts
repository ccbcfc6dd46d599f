import { messageKindOf, SECTIONS } from "../../context/catalog.ts";
import { diffWorld, stateWorld, type WorldDiff } from "../../context/diff.ts";
import type { Fragment } from "../../context/fragment.ts";
import type { WorldSnapshot } from "../../context/section.ts";
import { model as modelSection } from "../../context/sections/model.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import { estimateTokens } from "../../history/tokens.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { DurableEvent, EnvelopeSummary } from "../../protocol/thread/events.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";

/** Who answers in a turn. */
type Answerer = Pick<EnvelopeSummary, "provider" | "model">;

/** A fragment as the user sees it in the transcript. */
export function asContextUpdate(turnId: TurnId, fragments: readonly Fragment[]): DurableEvent {
	return {
		type: "contextUpdated",
		turnId,
		fragments: fragments.map(({ kind, role, origin, summary, text }) => ({
			kind,
			role,
			...(role === "user" ? { messageKind: messageKindOf(kind) } : {}),
			origin,
			summary,
			tokens: estimateTokens(text),
		})),
	};
}

/**
 * What the model is to be told of the world before it reads the next prompt. No baseline means everything, never a guess; of
 * what was before only the model of the turn before is known then, and that another one takes over must be said all the same.
 */
export function dueFragments(
	{ told, history, turnStarts }: Pick<ThreadState, "told" | "history" | "turnStarts">,
	envelope: TurnEnvelope,
	before: Answerer | undefined,
): WorldDiff {
	const inHistory = fragmentKindsIn(history);
	if (Object.keys(told).length > 0) return diffWorld(SECTIONS, envelope, told, inHistory);
	// The turn before may have been taken back: what counts is who answered the last one that the model reads.
	const standing = turnStarts.findLast(({ turnId }) => turnId !== envelope.identity.turnId);
	const changed = history.length === 0 ? {} : switchedFrom(standing?.by ?? before, envelope);
	return stateWorld(SECTIONS, envelope, inHistory, changed);
}

function switchedFrom(before: Answerer | undefined, { identity }: TurnEnvelope): WorldSnapshot {
	if (before === undefined) return {};
	const { provider, model } = before;
	return provider === identity.provider && model === identity.model ? {} : { [modelSection.id]: { provider, model } };
}

function fragmentKindsIn(history: readonly HistoryItem[]): ReadonlySet<string> {
	return new Set(history.flatMap((item) => (item.kind === "fragment" ? [item.fragment] : [])));
}
