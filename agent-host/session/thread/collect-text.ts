import { historyTokens } from "../../compaction/measure.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { type ModelClient, ModelFailure, type ModelRequest } from "../../model/port.ts";
import { withIdleLimit } from "../../model/watchdog.ts";
import { say } from "../../protocol/say.ts";
import type { TokenCount } from "../../protocol/thread/events.ts";

/** The whole answer to a request outside the steps of a turn, with what it used. */
export interface CollectedText {
	readonly text: string;
	readonly usage: TokenCount;
}

export async function collectText(
	client: ModelClient,
	request: ModelRequest,
	idleMs: number,
	signal: AbortSignal,
): Promise<CollectedText> {
	const items: HistoryItem[] = [];
	for await (const event of withIdleLimit((inner) => client.stream(request, inner), idleMs, signal)) {
		if (event.type === "item") items.push(event.item);
		if (event.type !== "completed") continue;
		const text = items.flatMap((item) => (item.kind === "agentMessage" ? [item.text] : [])).join("");
		return { text, usage: event.usage ?? estimateUsage(request, text) };
	}
	throw new ModelFailure("bad-stream", say("answer-cut"), { retryable: true });
}

function estimateUsage(request: ModelRequest, text: string): TokenCount {
	const input = estimateTokens(request.instructions) + historyTokens(request.input);
	const output = estimateTokens(text);
	return { input, cached: 0, output, reasoning: 0, total: input + output };
}
