import { isFull } from "../../compaction/measure.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { NO_TOKENS } from "../../history/token-usage.ts";
import { clientFor } from "../../model/client.ts";
import { buildRequest } from "../../model/request.ts";
import { TOOLS } from "../../tools/catalog.ts";
import { usageNow } from "../compaction/compaction-records.ts";
import type { Ports } from "../ports/ports.ts";
import type { LiveThread } from "../thread/live-thread.ts";

/** Longer waits are for nothing: the next answer counts, too. */
const COUNT_MS = 15_000;

/**
 * Replaces our estimate of the context by the provider's own count, after a turn and beside everything else. Only what
 * this provider was sent or has written itself is counted; what came later waits for the next turn.
 */
export async function countContext(
	thread: LiveThread,
	envelope: TurnEnvelope,
	ports: Ports,
	closing: AbortSignal,
): Promise<void> {
	const { lastUsage } = thread.state();
	if (lastUsage === undefined || !lastUsage.estimated || isFull(lastUsage)) return;
	const { count } = clientFor(envelope.identity, ports);
	if (count === undefined) return;
	const history = (await thread.readHistory()).slice(0, lastUsage.items);
	const signal = AbortSignal.any([closing, AbortSignal.timeout(COUNT_MS)]);
	const input = await count(buildRequest(envelope, history, TOOLS), signal);
	if (input === undefined || closing.aborted) return;
	const last = { ...NO_TOKENS, input, total: input };
	const event = { ...usageNow({ thread, envelope }, last, NO_TOKENS, lastUsage.items), estimated: false };
	// Whatever happened meanwhile is newer.
	await thread.commit(
		(state) => (state.lastUsage === lastUsage && state.openTurn === undefined ? [{ kind: "event", event }] : []),
		"unsynced",
	);
}
