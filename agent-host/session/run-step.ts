import type { HistoryItem } from "../history/item.ts";
import { estimateTokens } from "../history/tokens.ts";
import { addTokens, baselineFor, NO_TOKENS, percentLeft } from "../history/usage.ts";
import { ModelFailure, type ModelRequest } from "../model/port.ts";
import { buildRequest } from "../model/request.ts";
import { digestRequest } from "../model/request-digest.ts";
import { planRetry } from "../model/retry.ts";
import { withIdleLimit } from "../model/watchdog.ts";
import type { DurableEvent, TokenCount } from "../protocol/events.ts";
import { TOOLS } from "../tools/catalog.ts";
import type { Draft } from "./live-thread.ts";
import { createResponseWriter } from "./response-writer.ts";
import type { Turn } from "./turn.ts";

export type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

/** What a response came to: the calls it asks for, and the records that hold it, not yet written. */
export interface StepResult {
	readonly calls: readonly ToolCall[];
	readonly drafts: readonly Draft[];
}

/** One request to the model, tried again while that makes sense. */
export async function runStep(turn: Turn): Promise<StepResult> {
	const request = buildRequest(turn.envelope, await turn.thread.readHistory(), TOOLS);
	const { turnId } = turn.envelope.identity;
	await turn.thread.commit([{ kind: "request", turnId, digest: digestRequest(request) }], "unsynced");
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await attemptStep(turn, request);
		} catch (error) {
			turn.signal.throwIfAborted();
			if (!(error instanceof ModelFailure)) throw error;
			await waitToRetry(turn, error, attempt);
		}
	}
}

async function attemptStep(turn: Turn, request: ModelRequest): Promise<StepResult> {
	const { envelope, model, signal } = turn;
	const { turnId, retry } = envelope.identity;
	const writer = createResponseWriter(turn);
	try {
		for await (const event of withIdleLimit((inner) => model.stream(request, inner), retry.idleMs, signal)) {
			if (event.type === "delta") await writer.delta(event);
			else if (event.type === "item") await writer.item(event);
			else {
				const items = [...writer.items()];
				const usage = usageEvent(turn, request, items, event.usage);
				return {
					calls: newCalls(items, request),
					drafts: [
						{ kind: "items", turnId, items },
						{ kind: "event", event: usage },
					],
				};
			}
		}
		throw new ModelFailure("bad-stream", "The model's answer broke off before its end.", { retryable: true });
	} catch (error) {
		await writer.cut(signal.aborted ? "keep" : "drop");
		throw error;
	}
}

/** The calls that were not made before: a model that repeats one gets the result it has. */
function newCalls(items: readonly HistoryItem[], request: ModelRequest): readonly ToolCall[] {
	const made = new Set(request.input.flatMap((item) => (item.kind === "toolCall" ? [item.callId] : [])));
	return items.filter((item): item is ToolCall => {
		if (item.kind !== "toolCall" || made.has(item.callId)) return false;
		made.add(item.callId);
		return true;
	});
}

async function waitToRetry(turn: Turn, failure: ModelFailure, attempt: number): Promise<void> {
	const { thread, envelope, ports, signal } = turn;
	const { turnId, retry } = envelope.identity;
	const wait = planRetry(failure, attempt, retry, ports.random());
	if (wait === undefined) throw failure;
	const message = `${failure.message} Trying again in ${(wait / 1_000).toFixed(1)} s (${attempt + 1} of ${retry.attempts}).`;
	const warning: Draft = { kind: "event", event: { type: "warning", turnId, code: failure.code, message } };
	await thread.commit([warning], "unsynced");
	await ports.pause(wait, signal);
}

function usageEvent(
	turn: Turn,
	request: ModelRequest,
	items: readonly HistoryItem[],
	reported: TokenCount | undefined,
): DurableEvent {
	const { identity } = turn.envelope;
	const fixed = estimateTokens(request.instructions + JSON.stringify(request.tools));
	const last = reported ?? estimateUsage(fixed, request, items);
	const baseline = baselineFor(fixed);
	return {
		type: "usage",
		turnId: identity.turnId,
		last,
		total: addTokens(turn.thread.state().total ?? NO_TOKENS, last),
		window: identity.budgets.window,
		percentLeft: percentLeft(last, identity.budgets.effective, baseline),
		estimated: reported === undefined,
		baseline,
	};
}

function estimateUsage(fixed: number, request: ModelRequest, items: readonly HistoryItem[]): TokenCount {
	const input = fixed + estimateTokens(JSON.stringify(request.input));
	const output = estimateTokens(JSON.stringify(items));
	return { input, cached: 0, output, reasoning: 0, total: input + output };
}
