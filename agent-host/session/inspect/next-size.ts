import { contextTokens, historyTokens } from "../../compaction/measure.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import { projectHistory } from "../../history/normalize.ts";
import { buildRequest } from "../../model/request.ts";
import { countFixed } from "../../model/tools-text.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { TOOLS } from "../../tools/catalog.ts";

/**
 * Tokens of a thread's next request: the history and what its turn adds. Without the prompt, the one count of the context
 * that users see; automatic compaction measures the same way.
 */
export function nextRequestTokens(state: ThreadState, envelope: TurnEnvelope, added: readonly HistoryItem[]): number {
	const sight = envelope.identity.abilities.images ? "images" : "text";
	const sent = projectHistory(state.history, sight);
	const fixed = countFixed(buildRequest(envelope, [], TOOLS));
	return contextTokens(sent, fixed, state.lastUsage) + historyTokens(projectHistory(added, sight));
}
