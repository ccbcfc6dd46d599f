import {
	type CallToolResult,
	type InputRequiredResult,
	inputRequired,
	inputResponse,
	type RequestStateCodec,
	type ServerContext,
} from "@modelcontextprotocol/server";
import type { ThreadId, TurnId } from "../../protocol/ids.ts";
import { createDeniedCalls, type DeniedCalls } from "../../protocol/thread/denied-calls.ts";
import { describeCompaction } from "../../protocol/thread/describe-compaction.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";
import { isCall } from "../../protocol/thread/item.ts";
import { describeCall } from "../describe-call.ts";
import type { TurnOutcome } from "../turn-outcome.ts";
import type { TurnWatch } from "../turn-watch.ts";
import { makeVisibleLine } from "../visible.ts";
import { type Caller, toWire } from "./caller.ts";

/** Many clients give up on a call that is silent for a minute. */
const HEARTBEAT_MS = 10_000;
/** Clients of the library give up after ten rounds; the turn then goes on, and `wait` continues with it. */
const MAX_ROUNDS = 8;

/** What a call that comes again with an answer was about. */
export interface Round {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	readonly askId: string;
	readonly round: number;
}

export interface Followed {
	readonly watch: TurnWatch;
	readonly caller: Caller;
	readonly rounds: RequestStateCodec<Round>;
	readonly interrupt: (threadId: ThreadId) => Promise<void>;
}

/** The outcome of a turn so far, or what the call has to ask its user first. */
type Waited =
	| { readonly outcome: TurnOutcome; readonly asks?: never }
	| { readonly asks: InputRequiredResult; readonly outcome?: never };

/** The turn of a call that comes again with its user's answer, which it passes on; undefined for the first time. */
export function takeAnswer({ caller }: Followed, { mcpReq }: ServerContext): Round | undefined {
	const round = mcpReq.requestState<Round>();
	if (round === undefined) return undefined;
	const view = inputResponse(mcpReq.inputResponses, round.askId);
	caller.answer(round.askId, view.kind === "elicit" && view.action === "accept" ? view.content : undefined);
	return round;
}

/**
 * Waits for the end of a turn, or for something that this call must ask its user. A caller that gives up ends the turn,
 * except if it only looks on: then it waits no longer than `limitMs`.
 */
export async function followTurn(
	{ watch, caller, rounds, interrupt }: Followed,
	turn: { readonly threadId: ThreadId; readonly turnId: TurnId; readonly round?: number },
	context: ServerContext,
	limitMs?: number,
): Promise<Waited> {
	const { threadId, turnId, round = 0 } = turn;
	const over = new AbortController();
	const stopTelling = tellProgress(watch, threadId, context);
	const onCancel = () => {
		// Nobody waits any more for what comes of it.
		if (limitMs === undefined) interrupt(threadId).catch(() => undefined);
	};
	context.mcpReq.signal.addEventListener("abort", onCancel, { once: true });
	// The caller may have given up before there was a turn.
	if (context.mcpReq.signal.aborted) onCancel();
	try {
		for (;;) {
			const next = await Promise.race([
				watch.ended(threadId, turnId),
				caller.next(threadId, over.signal),
				...(limitMs === undefined ? [] : [pause(limitMs, over.signal)]),
			]);
			if (next === undefined || round >= MAX_ROUNDS) return { outcome: watch.newest(threadId) ?? never() };
			if ("status" in next) return { outcome: next };
			if (!caller.canAsk(context)) caller.answer(next.id, undefined);
			else {
				const form = inputRequired.elicit({ message: next.message, requestedSchema: toWire(next.form) });
				const requestState = await rounds.mint({ threadId, turnId, askId: next.id, round: round + 1 });
				return { asks: inputRequired({ inputRequests: { [next.id]: form }, requestState }) };
			}
		}
	} finally {
		over.abort();
		context.mcpReq.signal.removeEventListener("abort", onCancel);
		stopTelling();
	}
}

function never(): never {
	throw new Error("The turn that was waited for is not known.");
}

function pause(ms: number, signal: AbortSignal): Promise<undefined> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => resolve(undefined), ms);
		signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
	});
}

/** One line for each item, if the caller wants progress; and a sign of life when nothing happens. */
function tellProgress(watch: TurnWatch, threadId: ThreadId, { mcpReq }: ServerContext): () => void {
	const progressToken = mcpReq._meta?.progressToken;
	if (progressToken === undefined) return () => undefined;
	let progress = 0;
	const tell = (message: string): void => {
		progress += 1;
		void mcpReq
			.notify({ method: "notifications/progress", params: { progressToken, progress, message } })
			.catch(() => undefined);
	};
	const timer = setInterval(() => tell("Working"), HEARTBEAT_MS);
	const denied = createDeniedCalls();
	const stop = watch.follow(threadId, (published) => {
		denied.hear(published.event);
		const line = describeEvent(published, denied);
		if (line !== undefined) tell(line);
	});
	return () => {
		clearInterval(timer);
		stop();
	};
}

function describeEvent({ event }: PublishedEvent, denied: DeniedCalls): string | undefined {
	if (event.type === "itemCompleted" && isCall(event.item))
		return describeCall(event.item, denied.has(event.item.callId));
	if (event.type === "itemCompleted" && event.item.kind === "agentMessage")
		return makeVisibleLine(event.item.text).slice(0, 200);
	if (event.type === "compactionCompleted") return describeCompaction(event);
	return event.type === "turnCompleted" ? `The turn is ${event.status}.` : undefined;
}

/** A result as structured content, and the same as text for clients that read only that. */
export function asResult(value: object): CallToolResult {
	return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: { ...value } };
}
