import { historyTokens } from "../../compaction/measure.ts";
import type { Identity } from "../../envelope/envelope.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { firstWordMs } from "../../model/local-server.ts";
import { type ModelClient, ModelFailure, type ModelRequest } from "../../model/port.ts";
import { withIdleLimit } from "../../model/watchdog.ts";
import { say } from "../../protocol/say.ts";
import type { TokenCount } from "../../protocol/thread/events.ts";

interface AskedServer {
	readonly baseUrl?: string | undefined;
	readonly retry: Pick<Identity["retry"], "idleMs">;
}

/** The whole answer to a request outside the steps of a turn. */
export async function collectText(
	client: ModelClient,
	request: ModelRequest,
	/** The server that is asked, and how long it may be silent. */
	{ baseUrl, retry: { idleMs } }: AskedServer,
	/** Pays for the answer, also if it fails or is stopped after its server has counted it. */
	pay: (usage: TokenCount) => Promise<void>,
	signal: AbortSignal,
): Promise<string> {
	const items: HistoryItem[] = [];
	const firstMs = firstWordMs(baseUrl, idleMs);
	let counted: TokenCount | undefined;
	try {
		for await (const events of withIdleLimit((inner) => client.stream(request, inner), idleMs, signal, firstMs)) {
			for (const event of events) {
				if (event.type === "item") items.push(event.item);
				if (event.type === "counted") counted = event.usage;
			}
			const end = events.at(-1);
			if (end?.type !== "completed") continue;
			const text = items.flatMap((item) => (item.kind === "agentMessage" ? [item.text] : [])).join("");
			counted = end.usage ?? estimateUsage(request, text);
			return text;
		}
	} finally {
		if (counted !== undefined) await pay(counted);
	}
	throw new ModelFailure("bad-stream", say("answer-cut"), { retryable: true });
}

function estimateUsage(request: ModelRequest, text: string): TokenCount {
	const input = estimateTokens(request.instructions) + historyTokens(request.input);
	const output = estimateTokens(text);
	return { input, cached: 0, output, reasoning: 0, total: input + output };
}
