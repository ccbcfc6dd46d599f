import { commitRequest, sideQuestion } from "../../context/fragments/aside.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { asHistoryItem, type HistoryItem } from "../../history/history-item.ts";
import { clientFor } from "../../model/client.ts";
import { ModelFailure } from "../../model/port.ts";
import { buildRequest } from "../../model/request.ts";
import { type Attempts, planRetry } from "../../model/retry.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { commitMessage, threadAsk } from "../../protocol/thread/aside.ts";
import type { TokenCount } from "../../protocol/thread/events.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { Ports } from "../ports/ports.ts";
import type { NextTurn } from "../start/seal-turn.ts";
import { collectText } from "../thread/collect-text.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import { createSpending, type Spending } from "../thread/spending.ts";

/** Requests beside the turns of a thread: nothing of them is recorded, and no tools are offered. */
export interface Aside {
	readonly ask: (params: ParsedParamsOf<typeof threadAsk>, signal: AbortSignal) => Promise<ResultOf<typeof threadAsk>>;
	readonly describeCommit: (
		params: ParsedParamsOf<typeof commitMessage>,
		signal: AbortSignal,
	) => Promise<ResultOf<typeof commitMessage>>;
}

interface Asked {
	readonly envelope: TurnEnvelope;
	readonly state: Pick<ThreadState, "spent" | "total">;
	/** Of the turn that runs meanwhile: its limits hold for this, too. */
	readonly beside?: Spending | undefined;
	readonly input: readonly HistoryItem[];
}

export function createAside(options: {
	readonly ports: Ports;
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	/** What a turn that begins now would get; records nothing. */
	readonly sealNext: (threadId: ThreadId | undefined) => Promise<NextTurn>;
}): Aside {
	const { ports, open, sealNext } = options;
	const answer = async ({ envelope, state, beside, input }: Asked, signal: AbortSignal) => {
		const client = clientFor(envelope.identity, ports);
		const spending = createSpending(envelope, state, ports, { beside });
		const { outputSchema: _, ...request } = buildRequest(envelope, input, []);
		await client.ready();
		let paid: { readonly tokens: number; readonly cost?: number } = { tokens: 0 };
		const pay = async (usage: TokenCount): Promise<void> => {
			const cost = await spending.take(usage, envelope);
			const tokens = paid.tokens + usage.total;
			paid = { tokens, ...(cost !== undefined && { cost: (paid.cost ?? 0) + cost }) };
		};
		const text = await askAgain(envelope, ports, signal, async () => {
			await spending.beforeRequest(envelope);
			// Not even the tools of servers.
			return collectText(client, { ...request, tools: [] }, envelope.identity, pay, signal);
		});
		await spending.end();
		return { text: text.trim(), ...paid };
	};
	return {
		async ask({ threadId, text }, signal) {
			const thread = await open(threadId);
			const envelope = thread.running?.envelope ?? (await sealNext(threadId)).envelope;
			const question = asHistoryItem(sideQuestion.of({ text }));
			const input = [...(await thread.readHistory()), question];
			const asked = { envelope, state: thread.state(), beside: thread.running?.spending, input };
			return { ...(await answer(asked, signal)), model: envelope.identity.model };
		},
		async describeCommit({ threadId, diff, subjects }, signal) {
			const { envelope, state } = await sealNext(threadId);
			const input = [asHistoryItem(commitRequest.of({ diff, subjects }))];
			const { text } = await answer({ envelope, state, input }, signal);
			return { text: withoutFence(text) };
		},
	};
}

async function askAgain<T>(
	{ identity }: TurnEnvelope,
	ports: Ports,
	signal: AbortSignal,
	ask: () => Promise<T>,
): Promise<T> {
	let made: Attempts = { requests: 1, waitedMs: 0 };
	for (;;) {
		try {
			return await ask();
		} catch (error) {
			if (signal.aborted) throw stopped();
			if (!(error instanceof ModelFailure)) throw error;
			const waitMs = planRetry(error, made, identity.retry, ports.random());
			if (waitMs === undefined) throw new HostError("model-failed", error.said, { cause: error });
			await ports.pause(waitMs, signal).catch(() => undefined);
			if (signal.aborted) throw stopped();
			made = { requests: made.requests + 1, waitedMs: made.waitedMs + waitMs };
		}
	}
}

function stopped(): HostError {
	return new HostError("model-failed", say("aside-stopped"));
}

/** Some models put a fence around everything that they were asked for. */
function withoutFence(text: string): string {
	return /^```[a-z]*\n([\s\S]*?)\n?```$/.exec(text)?.[1]?.trim() ?? text;
}
