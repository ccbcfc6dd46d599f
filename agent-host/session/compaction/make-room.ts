import { contextTokens, fullUsage, historyTokens, isFull } from "../../compaction/measure.ts";
import { dueBeforeTurn, dueMidTurn, mayRescue, type Pressure } from "../../compaction/triggers.ts";
import { projectHistory } from "../../history/normalize.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { NO_TOKENS } from "../../history/usage.ts";
import { ModelFailure } from "../../model/port.ts";
import { CompactionId } from "../../protocol/compaction.ts";
import { runStep, type StepResult } from "../turn/run-step.ts";
import { unsaidIn } from "../turn/steer.ts";
import type { Turn } from "../turn/turn.ts";
import { promptTokens } from "../turn/turn-input.ts";
import type { CompactionAsk } from "./ask.ts";
import { compact } from "./compact.ts";
import { fixedTokens, usageNow } from "./records.ts";

/** Compactions since the last completed step: what keeps a turn from compacting for ever. */
export interface Guard {
	withoutStep: number;
}

/** Makes room before a turn says anything. `context` is what the model is to be told beside the prompt. */
export async function makeRoomForTurn(turn: Turn, guard: Guard, context: readonly string[]): Promise<void> {
	await turn.thread.readHistory();
	const prompt = promptTokens(turn.prompt, turn.images, turn.envelope);
	const incoming = context.reduce((sum, text) => sum + estimateTokens(text), prompt);
	const previous = turn.previous && { effective: turn.previous.identity.budgets.effective };
	const reason = dueBeforeTurn(pressureOn(turn, guard, incoming), previous);
	if (reason !== undefined) await compactInTurn(turn, guard, { reason, phase: "preTurn", incoming: prompt });
}

/** Between two steps: what was asked for by hand, else what the budget demands. */
export async function makeRoomForStep(turn: Turn, guard: Guard): Promise<void> {
	const asked = takeAsked(turn);
	if (asked !== undefined) {
		await compact(turn, { ...asked, phase: "midTurn" });
		return;
	}
	const incoming = historyTokens(unsaidIn(turn.thread.state()));
	const reason = dueMidTurn(pressureOn(turn, guard, incoming));
	if (reason !== undefined) await compactInTurn(turn, guard, { reason, phase: "midTurn", incoming });
}

/** One step. When the provider says that the context is too long it is compacted once and sent again. */
export async function runStepInRoom(turn: Turn, guard: Guard): Promise<StepResult> {
	try {
		return await completeStep(turn, guard);
	} catch (error) {
		if (!isTooLong(error)) throw error;
		await markFull(turn);
		const { auto } = turn.envelope.identity.compaction;
		if (!mayRescue({ auto, withoutStep: guard.withoutStep })) throw auto ? cannotFit() : error;
		const outcome = await compactInTurn(turn, guard, { reason: "overflow", phase: "midTurn" });
		if (outcome === "skipped") throw cannotFit();
	}
	try {
		return await completeStep(turn, guard);
	} catch (error) {
		if (!isTooLong(error)) throw error;
		await markFull(turn);
		throw cannotFit();
	}
}

async function completeStep(turn: Turn, guard: Guard): Promise<StepResult> {
	const result = await runStep(turn);
	guard.withoutStep = 0;
	return result;
}

async function compactInTurn(
	turn: Turn,
	guard: Guard,
	ask: Omit<CompactionAsk, "compactionId">,
): Promise<"done" | "skipped"> {
	guard.withoutStep += 1;
	return compact(turn, { ...ask, compactionId: CompactionId.parse(turn.ports.newId()) });
}

function pressureOn({ thread, envelope }: Turn, { withoutStep }: Guard, incoming: number): Pressure {
	const { history, lastUsage } = thread.state();
	const { budgets, compaction } = envelope.identity;
	const sent = projectHistory(history, envelope.identity.abilities.images ? "images" : "text");
	return {
		used: contextTokens(sent, fixedTokens(envelope), lastUsage),
		incoming,
		budgets,
		auto: compaction.auto,
		withoutStep,
		full: lastUsage !== undefined && isFull(lastUsage),
	};
}

function takeAsked({ thread }: Turn): CompactionAsk | undefined {
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
		"The conversation does not fit the model's context window, even compacted. Choose a model with a larger window, or set vitrine.model.contextWindow to the real size and send the message again. Nothing was lost.";
	return new ModelFailure("context-too-long", message, { retryable: false });
}
