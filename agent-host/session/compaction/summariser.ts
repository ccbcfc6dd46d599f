import type { Answer, Summariser } from "../../compaction/structured.ts";
import { roomToAsk } from "../../compaction/structured.ts";
import { SUMMARY_SCHEMA } from "../../compaction/summary-prompt.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { ModelFailure, type ModelRequest } from "../../model/port.ts";
import { buildRequest } from "../../model/request.ts";
import { type Attempts, asSentence, mostAttempts, planRetry, sayRetry } from "../../model/retry.ts";
import { asMessage, joinSaid, nameSaid, type Said, say } from "../../protocol/say.ts";
import type { TokenCount } from "../../protocol/thread/events.ts";
import { collectText } from "../thread/collect-text.ts";
import type { ModelInUse, Turn } from "../thread/running-turn.ts";
import type { ModelAsked } from "../thread/spending.ts";

/** Asks a model for a summary: the turn's instructions, no tools, and the schema if the wire can enforce it. */
export function createSummariser(
	turn: Pick<Turn, "thread" | "envelope" | "spending" | "ports" | "signal">,
	{ identity, client }: ModelInUse,
	/** Used instead of the current model; empty for that one. */
	model: string,
	spend: (usage: TokenCount) => void,
): Summariser {
	const fixed = estimateTokens(turn.envelope.instructions.base);
	return {
		room: roomToAsk(identity.budgets.effective, fixed),
		async ask(input) {
			const request = {
				...buildRequest({ ...turn.envelope, identity }, input, []),
				...(model === "" ? {} : { model }),
				// Not even those of servers.
				tools: [],
				outputSchema: SUMMARY_SCHEMA,
			};
			await client.ready();
			const asked = { identity, model: request.model };
			return askAgain(turn, asked, () =>
				askOnce(turn, { identity, client }, request, async (usage) => {
					spend(usage);
					await turn.spending.take(usage, asked);
				}),
			);
		},
	};
}

type Failed = { readonly kind: "tooLong" } | { readonly kind: "failed"; readonly reason: Said };

/** Sends a compaction request, with retries where that makes sense. */
export async function askAgain<T>(
	turn: Pick<Turn, "thread" | "envelope" | "spending" | "ports" | "signal">,
	asked: ModelAsked,
	ask: () => Promise<T>,
): Promise<T | Failed> {
	let made: Attempts = { requests: 1, waitedMs: 0 };
	for (;;) {
		try {
			await turn.spending.beforeRequest(asked);
			return await ask();
		} catch (error) {
			turn.signal.throwIfAborted();
			if (!(error instanceof ModelFailure)) throw error;
			if (error.code === "context-too-long") return { kind: "tooLong" };
			const waitMs = await waitToRetry(turn, error, made);
			if (waitMs === undefined) return { kind: "failed", reason: error.said };
			made = { requests: made.requests + 1, waitedMs: made.waitedMs + waitMs };
		}
	}
}

async function askOnce(
	{ envelope, signal }: Pick<Turn, "envelope" | "signal">,
	{ identity, client }: ModelInUse,
	request: ModelRequest,
	spend: (usage: TokenCount) => Promise<void>,
): Promise<Answer> {
	const server = { baseUrl: identity.baseUrl, retry: envelope.identity.retry };
	return { kind: "text", text: await collectText(client, request, server, spend, signal) };
}

/** The pause that was made, or undefined if there should be no other attempt. */
async function waitToRetry(
	{ thread, envelope, ports, signal }: Pick<Turn, "thread" | "envelope" | "ports" | "signal">,
	failure: ModelFailure,
	made: Attempts,
): Promise<number | undefined> {
	const { turnId, retry } = envelope.identity;
	const waitMs = planRetry(failure, made, retry, ports.random());
	if (waitMs === undefined) return undefined;
	const [code, why] = [failure.code, { reason: failure.message, reasonSaid: nameSaid(failure.said) }];
	const [attempt, attempts] = [made.requests + 1, mostAttempts(failure, retry)];
	const said = joinSaid(say("compacting"), asSentence(failure.said), sayRetry(waitMs, { attempt, attempts }));
	await thread.commit(
		[
			{ kind: "event", event: { type: "warning", turnId, code, ...asMessage(said) } },
			{ kind: "event", event: { type: "retrying", turnId, attempt, attempts, waitMs, code, ...why } },
		],
		"unsynced",
	);
	await ports.pause(waitMs, signal);
	return waitMs;
}
