import type { Sealer, SealerAnswer } from "../../compaction/remote.ts";
import { roomToAsk } from "../../compaction/structured.ts";
import { NO_TOKENS } from "../../history/token-usage.ts";
import { ModelFailure, type ModelRequest, type RemoteCompaction } from "../../model/port.ts";
import { buildRequest } from "../../model/request.ts";
import { withIdleLimit } from "../../model/watchdog.ts";
import { say } from "../../protocol/say.ts";
import type { TokenCount } from "../../protocol/thread/events.ts";
import { TOOLS } from "../../tools/catalog.ts";
import type { Turn } from "../thread/running-turn.ts";
import { fixedTokens } from "./compaction-records.ts";
import { askAgain } from "./summariser.ts";

/** The endpoint sends nothing until it is done, so it may be silent for longer than a stream. */
const PATIENCE = 2;

/** Asks the turn's server, with the request that the turn would make. */
export function createSealer(
	turn: Pick<Turn, "thread" | "envelope" | "model" | "spending" | "ports" | "signal">,
	compact: RemoteCompaction,
	spend: (usage: TokenCount) => void,
): Sealer {
	const { envelope, model } = turn;
	return {
		room: roomToAsk(envelope.identity.budgets.effective, fixedTokens(envelope)),
		async ask(input) {
			const request = buildRequest(envelope, input, TOOLS);
			await model.ready();
			const { identity } = envelope;
			return askAgain(turn, { identity }, () =>
				askOnce(turn, compact, request, async (usage) => {
					spend(usage);
					await turn.spending.take(usage, { identity });
				}),
			);
		},
	};
}

async function askOnce(
	{ envelope, signal }: Pick<Turn, "envelope" | "signal">,
	compact: RemoteCompaction,
	request: ModelRequest,
	spend: (usage: TokenCount) => Promise<void>,
): Promise<SealerAnswer> {
	const idleMs = envelope.identity.retry.idleMs * PATIENCE;
	let answer: SealerAnswer | undefined;
	let counted: TokenCount | undefined;
	try {
		for await (const events of withIdleLimit((inner) => compact(request, inner), idleMs, signal)) {
			for (const event of events) {
				if (event.type === "item" && event.item.kind === "sealedSummary")
					answer = { kind: "sealed", sealed: event.item };
				if (event.type === "counted") counted = event.usage;
				if (event.type === "completed") counted = event.usage ?? NO_TOKENS;
			}
		}
	} finally {
		if (counted !== undefined) await spend(counted);
	}
	if (answer !== undefined) return answer;
	throw new ModelFailure("bad-stream", say("server-answer-cut"), { retryable: true });
}
