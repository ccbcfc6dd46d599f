import { findMessageKind, SECTIONS } from "../../context/catalog.ts";
import { diffWorld, stateWorld, type WorldDiff } from "../../context/diff.ts";
import type { Fragment } from "../../context/fragment.ts";
import type { WorldSnapshot } from "../../context/section.ts";
import { model as modelSection } from "../../context/sections/model.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { foldGrowing } from "../../history/fold-growing.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import { estimateTokens } from "../../history/tokens.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { DurableEvent, EnvelopeSummary } from "../../protocol/thread/events.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";

/** The model that answers in a turn. */
type Answerer = Pick<EnvelopeSummary, "provider" | "model">;

/** A fragment as the user sees it in the transcript. */
export function asContextUpdate(turnId: TurnId, fragments: readonly Fragment[]): DurableEvent {
	return {
		type: "contextUpdated",
		turnId,
		fragments: fragments.map(({ kind, role, origin, summary, text }) => ({
			kind,
			role,
			...(role === "user" ? { messageKind: findMessageKind(kind) } : {}),
			origin,
			summary,
			tokens: estimateTokens(text),
		})),
	};
}

/**
 * What to tell the model about the world before it reads the next prompt. Without a baseline everything is stated,
 * never a guess; then only the previous turn's model is known, and a model switch must still be stated.
 */
export function dueFragments(
	{ told, history, turnStarts }: Pick<ThreadState, "told" | "history" | "turnStarts">,
	envelope: TurnEnvelope,
	before: Answerer | undefined,
): WorldDiff {
	const inHistory = fragmentKindsIn(history);
	if (Object.keys(told).length > 0) return diffWorld(SECTIONS, envelope, told, inHistory);
	// The previous turn may have been rolled back: what counts is who answered the last turn in the history.
	const last = turnStarts.findLast(({ turnId }) => turnId !== envelope.identity.turnId);
	const changed = history.length === 0 ? {} : switchedFrom(last?.by ?? before, envelope);
	return stateWorld(SECTIONS, envelope, inHistory, changed);
}

function switchedFrom(before: Answerer | undefined, { identity }: TurnEnvelope): WorldSnapshot {
	if (before === undefined) return {};
	const { provider, model } = before;
	return provider === identity.provider && model === identity.model ? {} : { [modelSection.id]: { provider, model } };
}

/** The names of the fragments in a history. Valid only until the next call. */
export const fragmentKindsIn: (history: readonly HistoryItem[]) => ReadonlySet<string> = foldGrowing<
	HistoryItem,
	Set<string>
>(
	() => new Set(),
	(kinds, item) => (item.kind === "fragment" ? kinds.add(item.fragment) : kinds),
);
