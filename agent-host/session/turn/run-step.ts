import { historyTokens, inputTokens } from "../../compaction/measure.ts";
import { findSilentCut } from "../../compaction/silent-cut.ts";
import type { HistoryItem, ToolCall } from "../../history/history-item.ts";
import { callIdsIn } from "../../history/normalize.ts";
import { addTokens, baselineFor, carriedTokens, NO_TOKENS, percentLeft } from "../../history/token-usage.ts";
import { type Answered, explainCacheMiss, nameServer } from "../../model/cache-break.ts";
import { firstWordMs, isLocalServer } from "../../model/local-server.ts";
import { type ModelEvent, ModelFailure, type ModelRequest } from "../../model/port.ts";
import { buildRequest } from "../../model/request.ts";
import { digestRequest } from "../../model/request-digest.ts";
import { type Attempts, asSentence, mostAttempts, planRetry, sayRetry } from "../../model/retry.ts";
import { countFixed } from "../../model/tools-text.ts";
import { withIdleLimit } from "../../model/watchdog.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { asMessage, joinSaid, nameSaid, say } from "../../protocol/say.ts";
import type { CacheBreak } from "../../protocol/thread/cache-break.ts";
import type { DurableEvent, TokenCount } from "../../protocol/thread/events.ts";
import { TOOLS } from "../../tools/catalog.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";
import { createResponseWriter, type ResponseWriter } from "./response-writer.ts";
import { tellStep } from "./tell-step.ts";

/** The result of a response: its calls, and its records, which are not written yet. */
export interface StepResult {
	readonly calls: readonly ToolCall[];
	readonly drafts: readonly Draft[];
}

/** One request to the model, with retries where that makes sense. */
export async function runStep(turn: Turn): Promise<StepResult> {
	await tellStep(turn);
	const request = buildRequest(turn.envelope, await turn.thread.readHistory(), TOOLS);
	const { turnId } = turn.envelope.identity;
	await turn.thread.commit([{ kind: "request", turnId, digest: digestRequest(request) }], "unsynced");
	let made: Attempts = { requests: 1, waitedMs: 0 };
	for (;;) {
		await turn.spending.beforeRequest(turn.envelope);
		const writer = createResponseWriter(turn);
		const attempt: Attempt = { counted: undefined };
		try {
			return await attemptStep(turn, request, writer, attempt);
		} catch (error) {
			const retry = turn.signal.aborted ? undefined : planAgain(turn, error, made);
			// Keep the text, unless the model is about to say it again.
			await writer.cut(retry === undefined ? "keep" : "drop");
			await payFor(turn, attempt);
			turn.signal.throwIfAborted();
			if (retry === undefined) throw error;
			await waitToRetry(turn, retry, made);
			made = { requests: made.requests + 1, waitedMs: made.waitedMs + retry.waitMs };
		}
	}
}

interface Attempt {
	/** What the server has counted of an answer that is not complete. */
	counted: TokenCount | undefined;
}

/** An answer that failed or was stopped costs what its server counted. */
async function payFor({ thread, envelope, spending }: Turn, { counted }: Attempt): Promise<void> {
	if (counted === undefined) return;
	await spending.take(counted, envelope);
	// The host may end before the next answer.
	const { turnId } = envelope.identity;
	await thread.commit([{ kind: "spent", turnId, spent: spending.soFar() }], "unsynced");
}

async function attemptStep(
	turn: Turn,
	request: ModelRequest,
	writer: ResponseWriter,
	attempt: Attempt,
): Promise<StepResult> {
	const { envelope, model, signal } = turn;
	const { retry, baseUrl } = envelope.identity;
	const firstMs = firstWordMs(baseUrl, retry.idleMs);
	const sentAt = turn.ports.now();
	for await (const events of withIdleLimit((inner) => model.stream(request, inner), retry.idleMs, signal, firstMs)) {
		for (const event of events) {
			signal.throwIfAborted();
			switch (event.type) {
				case "delta":
					await writer.delta(event);
					break;
				case "draft":
					await writer.draft(event);
					break;
				case "item":
					await writer.item(event);
					break;
				case "working":
					break;
				case "counted":
					attempt.counted = event.usage;
					break;
				case "completed":
					attempt.counted = undefined;
					return completeStep(turn, { request, sentAt }, writer.items(), event);
			}
		}
	}
	throw new ModelFailure("bad-stream", say("answer-cut"), { retryable: true });
}

type Completed = Extract<ModelEvent, { type: "completed" }>;

/** A request, and when it was sent. */
interface Sent {
	readonly request: ModelRequest;
	readonly sentAt: number;
}

async function completeStep(
	turn: Turn,
	sent: Sent,
	items: readonly HistoryItem[],
	completed: Completed,
): Promise<StepResult> {
	const { turnId } = turn.envelope.identity;
	const { calls, repeated } = sortCalls(items, sent.request);
	return {
		calls,
		drafts: [
			{ kind: "items", turnId, items: [...items] },
			...(repeated === 0 ? [] : [repeatedWarning(turnId, repeated)]),
			...describeSilentCut(turn, sent.request, completed),
			{ kind: "event", event: await usageEvent(turn, sent, items, completed) },
		],
	};
}

/** The calls that were not made before, and the number of the others: no id runs twice, even if a server repeats it. */
function sortCalls(
	items: readonly HistoryItem[],
	request: ModelRequest,
): { readonly calls: readonly ToolCall[]; readonly repeated: number } {
	const made = new Set(callIdsIn(request.input));
	const all = items.filter((item): item is ToolCall => item.kind === "toolCall");
	const calls = all.filter(({ callId }) => !made.has(callId) && made.add(callId));
	return { calls, repeated: all.length - calls.length };
}

function repeatedWarning(turnId: TurnId, repeated: number): Draft {
	const said = repeated === 1 ? say("call-repeated") : say("calls-repeated", { calls: repeated });
	return { kind: "event", event: { type: "warning", turnId, code: "repeated-call", ...asMessage(said) } };
}

/** Once a turn: a local server that has read only a part of the request would answer as if nothing were wrong. */
function describeSilentCut(
	{ thread, envelope: { identity } }: Turn,
	request: ModelRequest,
	{ usage, estimated }: Completed,
): readonly Draft[] {
	const { turnId, baseUrl } = identity;
	if (usage === undefined || estimated || baseUrl === undefined || !isLocalServer(baseUrl)) return [];
	const expected = findSilentCut(request.input, countFixed(request), usage.input);
	const key = `silent-cut ${turnId}`;
	if (expected === undefined || thread.warned.has(key)) return [];
	thread.warned.add(key);
	const said = say("prompt-cut", { origin: new URL(baseUrl).origin, counted: usage.input, expected });
	return [{ kind: "event", event: { type: "warning", turnId, code: "prompt-cut", ...asMessage(said) } }];
}

interface Retry {
	readonly failure: ModelFailure;
	readonly waitMs: number;
}

function planAgain({ envelope, ports }: Turn, error: unknown, made: Attempts): Retry | undefined {
	if (!(error instanceof ModelFailure)) return undefined;
	const waitMs = planRetry(error, made, envelope.identity.retry, ports.random());
	return waitMs === undefined ? undefined : { failure: error, waitMs };
}

async function waitToRetry(turn: Turn, { failure, waitMs }: Retry, made: Attempts): Promise<void> {
	const { thread, envelope, ports, signal } = turn;
	const { turnId, retry } = envelope.identity;
	const [code, why] = [failure.code, { reason: failure.message, reasonSaid: nameSaid(failure.said) }];
	const [attempt, attempts] = [made.requests + 1, mostAttempts(failure, retry)];
	const said = joinSaid(asSentence(failure.said), sayRetry(waitMs, { attempt, attempts }));
	await thread.commit(
		[
			{ kind: "event", event: { type: "warning", turnId, code, ...asMessage(said) } },
			{ kind: "event", event: { type: "retrying", turnId, attempt, attempts, waitMs, code, ...why } },
		],
		"unsynced",
	);
	await ports.pause(waitMs, signal);
}

async function usageEvent(
	turn: Turn,
	{ request, sentAt }: Sent,
	items: readonly HistoryItem[],
	{ usage: reported, estimated }: Completed,
): Promise<DurableEvent> {
	const { identity } = turn.envelope;
	const fixed = countFixed(request);
	const last = reported ?? estimateUsage(fixed, request, items);
	const baseline = baselineFor(fixed, turn.envelope.telemetry.usageBaseline);
	const cost = await turn.spending.take(last, turn.envelope);
	const total = addTokens(turn.thread.state().total ?? NO_TOKENS, last);
	const cacheBreak = noteSent(turn, { request, sentAt, usage: estimated ? undefined : reported });
	return {
		type: "usage",
		turnId: identity.turnId,
		last,
		total,
		window: identity.budgets.window,
		percentLeft: percentLeft(carriedTokens(last, items), identity.budgets.effective, baseline),
		estimated: reported === undefined || estimated === true,
		baseline,
		items: turn.thread.state().history.length + items.length,
		...(cost === undefined ? {} : { cost }),
		spent: turn.spending.soFar(),
		...(cacheBreak === undefined ? {} : { cacheBreak }),
	};
}

/** Why the cache of the previous answered request did not help with this one. */
function noteSent(
	{ thread, envelope: { identity } }: Turn,
	answered: Pick<Answered, "request" | "sentAt" | "usage">,
): CacheBreak | undefined {
	const compaction = thread.state().lastCompaction?.compactionId;
	const server = nameServer(identity);
	const sent = { ...answered, server, compaction };
	const before = thread.lastSent;
	thread.lastSent = sent;
	const { cached = 0, cacheWrite = 0 } = answered.usage ?? {};
	if (cached + cacheWrite > 0) thread.cachingServers.add(server);
	return before === undefined ? undefined : explainCacheMiss(before, sent, thread.cachingServers.has(server));
}

function estimateUsage(fixed: number, request: ModelRequest, items: readonly HistoryItem[]): TokenCount {
	const input = fixed + inputTokens(request.input);
	const output = historyTokens(items);
	return { input, cached: 0, output, reasoning: 0, total: input + output };
}
