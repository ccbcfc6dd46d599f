import { contextTokens, historyTokens } from "../../compaction/measure.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { projectHistory } from "../../history/normalize.ts";
import { buildRequest } from "../../model/request.ts";
import { countFixed } from "../../model/tools-text.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { TOOLS } from "../../tools/catalog.ts";
import { dueFragments } from "../thread/due-fragments.ts";
import { readIdentity } from "../thread/last-envelope.ts";

/**
 * Tokens of a thread's next request without its prompt. The one count of the context that users see; automatic
 * compaction measures the same way.
 */
export function nextRequestTokens(state: ThreadState, envelope: TurnEnvelope): number {
	const { fragments } = dueFragments(state, envelope, readIdentity(state.envelope));
	const sent = projectHistory(state.history, envelope.identity.abilities.images ? "images" : "text");
	const fixed = countFixed(buildRequest(envelope, [], TOOLS));
	return contextTokens(sent, fixed, state.lastUsage) + historyTokens(fragments.map(asHistoryItem));
}
