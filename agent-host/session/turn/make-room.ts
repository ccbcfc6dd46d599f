import {
	contextTokens,
	fullUsage,
	historyTokens,
	isFull,
	mostContextTokens,
	requestTokens,
} from "../../compaction/measure.ts";
import {
	dueBeforeTurn,
	dueMidTurn,
	hasShrunk,
	MAX_IN_VAIN,
	mayRescue,
	type Pressure,
} from "../../compaction/triggers.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import { projectHistory } from "../../history/normalize.ts";
import { NO_TOKENS } from "../../history/token-usage.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { ModelFailure } from "../../model/port.ts";
import { listUnreadable } from "../../model/sealed-for.ts";
import { asMessage, say } from "../../protocol/say.ts";
import { CompactionId } from "../../protocol/thread/compaction.ts";
import { compactWithHooks } from "../compaction/compact-with-hooks.ts";
import { fixedTokens, mostFixedTokens, usageNow } from "../compaction/compaction-records.ts";
import { unread } from "../compaction/produce-summary.ts";
import { promptTokens } from "../start/turn-input.ts";
import type { CompactionRequest } from "../thread/compaction-request.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";
import { pendingSteers } from "./steer.ts";

/** Keeps a turn from compacting endlessly. */
export interface Guard {
	compactionsSinceStep: number;
}

/** Compacts before a turn's first request if necessary. `context` is what the model will be told beside the prompt. */
export async function makeRoomForTurn(turn: Turn, guard: Guard, context: readonly string[]): Promise<void> {
	await turn.thread.readHistory();
	// Another model counts differently.
	if (turn.previous !== undefined) turn.thread.compacted = undefined;
	const prompt = promptTokens(turn.prompt, turn.images, turn.envelope);
	const incoming = context.reduce((sum, text) => sum + estimateTokens(text), prompt);
	const previous = turn.previous && { effective: turn.previous.identity.budgets.effective };
	const reason = dueBeforeTurn(pressureOn(turn, guard, incoming), previous) ?? findSwitch(turn);
	if (reason !== undefined) await compactInTurn(turn, guard, { reason, phase: "preTurn", incoming: prompt });
	await tellUnread(turn);
}

/** Whether the previous model must first write a summary of what its server keeps of the conversation. */
function findSwitch({ thread, envelope, previous }: Turn): "modelSwitch" | undefined {
	const { identity } = envelope;
	const kept = listUnreadable(identity, thread.state().history);
	if (!identity.compaction.auto || previous === undefined || kept.length === 0) return undefined;
	return listUnreadable(previous.identity, kept).length === 0 ? "modelSwitch" : undefined;
}

/** Tells the user when a model takes over without the server-side summary of another one. */
async function tellUnread({ thread, envelope: { identity }, previous }: Turn): Promise<void> {
	if (previous === undefined || listUnreadable(identity, thread.state().history).length === 0) return;
	const event = {
		type: "warning",
		turnId: identity.turnId,
		code: "compaction",
		...asMessage(unread(identity.model)),
	} as const;
	await thread.commit([{ kind: "event", event }], "unsynced");
}

/** Between two steps: a manual compaction, otherwise one that the budget demands. */
export async function makeRoomForStep(turn: Turn, guard: Guard): Promise<void> {
	const asked = takeAsked(turn);
	if (asked !== undefined) {
		turn.thread.compacted = undefined;
		await compactWithHooks(turn, { ...asked, phase: "midTurn" });
		return;
	}
	const incoming = historyTokens(pendingSteers(turn.thread.state()));
	const reason = dueMidTurn(pressureOn(turn, guard, incoming));
	if (reason !== undefined) await compactInTurn(turn, guard, { reason, phase: "midTurn", incoming });
}

/** Runs a step. If the provider says that the context is too long, compacts once and runs it again. */
export async function compactOnOverflow<T>(turn: Turn, guard: Guard, step: () => Promise<T>): Promise<T> {
	try {
		return await step();
	} catch (error) {
		if (!isTooLong(error)) throw error;
		await markFull(turn);
		const { auto } = turn.envelope.identity.compaction;
		if (!mayRescue({ auto, compactionsSinceStep: guard.compactionsSinceStep })) throw auto ? cannotFit() : error;
		const outcome = await compactInTurn(turn, guard, { reason: "overflow", phase: "midTurn" });
		if (outcome === "skipped") throw cannotFit();
	}
	try {
		return await step();
	} catch (error) {
		if (!isTooLong(error)) throw error;
		await markFull(turn);
		throw cannotFit();
	}
}

/**
 * Checks whether the last compaction made the request smaller, by the server's counts. After two in a row that did not,
 * there are no more. `history` is what the step sent, `drafts` its records.
 */
export async function judgeCompaction(
	{ thread, envelope }: Turn,
	history: readonly HistoryItem[],
	drafts: readonly Draft[],
): Promise<void> {
	const { compacted } = thread;
	const usage = drafts.flatMap((draft) =>
		draft.kind === "event" && draft.event.type === "usage" ? [draft.event] : [],
	)[0];
	if (compacted === undefined || usage === undefined) return;
	const { turnId, budgets } = envelope.identity;
	const after = requestTokens(history, fixedTokens(envelope), usage.last, budgets.window);
	if (compacted.before === undefined) {
		if (after < budgets.autoCompact) thread.compacted = undefined;
		return;
	}
	const inVain = hasShrunk(compacted.before, after) ? 0 : compacted.inVain + 1;
	thread.compacted = { inVain, before: undefined };
	if (inVain !== MAX_IN_VAIN) return;
	const event = { type: "warning", turnId, code: "compaction", ...asMessage(say("compaction-in-vain")) } as const;
	await thread.commit([{ kind: "event", event }], "unsynced");
}

async function compactInTurn(
	turn: Turn,
	guard: Guard,
	ask: Omit<CompactionRequest, "compactionId">,
): Promise<"done" | "skipped"> {
	guard.compactionsSinceStep += 1;
	const used = countUsed(turn);
	const outcome = await compactWithHooks(turn, { ...ask, compactionId: CompactionId.parse(turn.ports.newId()) });
	// Without a request between two compactions the first one counts: the second begins with our own estimate.
	const { inVain = 0, before = used + (ask.incoming ?? 0) } = turn.thread.compacted ?? {};
	if (outcome === "done" && ask.reason === "limit") turn.thread.compacted = { inVain, before };
	return outcome;
}

function pressureOn(turn: Turn, { compactionsSinceStep }: Guard, incoming: number): Pressure {
	const { thread, envelope } = turn;
	const { lastUsage } = thread.state();
	const { budgets, compaction } = envelope.identity;
	const most = mostContextTokens(sentHistory(turn), mostFixedTokens(envelope), lastUsage);
	return {
		// A long thread that is opened again has not been counted yet, and mostly need not be.
		used: most + incoming < budgets.autoCompact ? most : countUsed(turn),
		incoming,
		budgets,
		auto: compaction.auto,
		compactionsSinceStep,
		inVain: thread.compacted?.inVain ?? 0,
		full: lastUsage !== undefined && isFull(lastUsage),
	};
}

function countUsed(turn: Turn): number {
	return contextTokens(sentHistory(turn), fixedTokens(turn.envelope), turn.thread.state().lastUsage);
}

/** As the model is sent it. */
function sentHistory({ thread, envelope }: Turn): readonly HistoryItem[] {
	return projectHistory(thread.state().history, envelope.identity.abilities.images ? "images" : "text");
}

function takeAsked({ thread }: Turn): CompactionRequest | undefined {
	const { running } = thread;
	const asked = running?.compaction;
	if (running !== undefined) running.compaction = undefined;
	return asked;
}

// Whatever was counted before, the window is full: the next turn must know.
async function markFull(turn: Turn): Promise<void> {
	const event = usageNow(turn, fullUsage(turn.envelope.identity.budgets.window), NO_TOKENS);
	await turn.thread.commit([{ kind: "event", event }], "unsynced");
}

function isTooLong(error: unknown): boolean {
	return error instanceof ModelFailure && error.code === "context-too-long";
}

function cannotFit(): ModelFailure {
	const message =
		"The conversation does not fit in the model's context window, even after compaction. Choose a model with a larger window, or set vitrine.model.contextWindow to the actual size and send the message again. Nothing was lost.";
	return new ModelFailure("context-too-long", message, { retryable: false });
}
