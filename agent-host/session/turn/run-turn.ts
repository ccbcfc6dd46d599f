import type { WorldDiff } from "../../context/diff.ts";
import { type AbortReason, turnAborted } from "../../context/fragments/turn-aborted.ts";
import { turnRetried } from "../../context/fragments/turn-retried.ts";
import { asHistoryItem, type HistoryItem } from "../../history/history-item.ts";
import { ModelFailure } from "../../model/port.ts";
import { HostError } from "../../protocol/errors.ts";
import { asMessage, say } from "../../protocol/say.ts";
import type { DurableEvent, TurnError } from "../../protocol/thread/events.ts";
import { agreeOnCustomizations } from "../calls/agree-on-customizations.ts";
import { leaveLoop, Repeated } from "../calls/leave-loop.ts";
import { createRepeats } from "../calls/repeats.ts";
import { runInParallel } from "../calls/run-together.ts";
import { runTools } from "../calls/run-tools.ts";
import { isSameModel } from "../compaction/previous-model.ts";
import { containsPrompt } from "../start/find-repeated.ts";
import { openingItems } from "../start/opening-items.ts";
import { asContextUpdate, dueFragments } from "../thread/due-fragments.ts";
import type { Draft } from "../thread/live-thread.ts";
import { HOST_ENDED, type Turn } from "../thread/running-turn.ts";
import { LimitReached } from "../thread/spending.ts";
import { createStopHooks, PromptBlocked, type StopHooks, submitPrompt } from "./hook-prompts.ts";
import { invokePrompt } from "./invoke-prompts.ts";
import { type InvokedSkills, invokeSkills } from "./invoke-skills.ts";
import { compactOnOverflow, type Guard, judgeCompaction, makeRoomForStep, makeRoomForTurn } from "./make-room.ts";
import { runStep, type StepResult } from "./run-step.ts";
import { drainSteers, pendingSteers, steerRecords } from "./steer.ts";
import { tellNested } from "./tell-nested.ts";

/** Runs a turn to its end and records how it ended. Never rejects. */
export async function runTurn(given: Turn): Promise<void> {
	let turn = given;
	try {
		turn = await agreeOnCustomizations(turn);
		const guard: Guard = { compactionsSinceStep: 0 };
		const agreed = turn;
		await runInParallel([(signal) => openTurn({ ...agreed, signal }, guard), turn.model.ready], turn.signal);
		await runSteps(turn, guard);
	} catch (error) {
		await endUnfinished(turn, error);
	}
}

async function openTurn(turn: Turn, guard: Guard): Promise<void> {
	const added = await submitPrompt(turn);
	const [reviewed, skills, prompts] = [await turn.reviewed(), await invokeSkills(turn), await invokePrompt(turn)];
	const invoked = {
		fragments: [...skills.fragments, ...prompts.fragments, ...added],
		drafts: [...skills.drafts, ...prompts.drafts],
	};
	const state = turn.thread.state();
	const due = dueIn(turn);
	const told = [...due.fragments, ...reviewed.fragments, ...invoked.fragments];
	await makeRoomForTurn(
		turn,
		guard,
		told.map(({ text }) => text),
	);
	turn.signal.throwIfAborted();
	// Only a compaction changes what is due.
	await tellWorld(turn, turn.thread.state() === state ? due : dueIn(turn), reviewed, invoked);
}

function dueIn({ thread, envelope, previous }: Turn): WorldDiff {
	return dueFragments(thread.state(), envelope, previous?.identity);
}

/** Records what the model is told about the world, then the prompt; only then may a request be made. */
async function tellWorld(
	turn: Turn,
	{ fragments: due, snapshot }: WorldDiff,
	reviewed: Awaited<ReturnType<Turn["reviewed"]>>,
	invoked: InvokedSkills,
): Promise<void> {
	const { thread, envelope } = turn;
	const { turnId } = envelope.identity;
	const told = [...due, ...reviewed.fragments];
	const fragments = [...told, ...invoked.fragments];
	const items = openingItems({ told, prompt: promptItems(turn), invoked: invoked.fragments });
	await thread.commit(
		[
			...(fragments.length > 0 ? [{ kind: "event", event: asContextUpdate(turnId, fragments) } as const] : []),
			{ kind: "items", turnId, items: [...items] },
			...(due.length > 0 ? [{ kind: "told", snapshot } as const] : []),
			...reviewed.drafts,
			...invoked.drafts,
			...describeTakeover(turn),
		],
		// The prompt alone is on disk since its turn began; opening the thread finds it there.
		fragments.length > 0 || reviewed.drafts.length > 0 ? "synced" : "unsynced",
	);
}

/** A prompt that the model has read already is not sent a second time. */
function promptItems({ thread, prompt, images, repeats }: Turn): readonly HistoryItem[] {
	const isKnown = repeats !== undefined && containsPrompt(thread.state().history, { prompt, images });
	return isKnown ? [asHistoryItem(turnRetried.of(undefined))] : [{ kind: "userMessage", text: prompt }, ...images];
}

/** Stated if the model was not chosen in this thread: it was reopened, and the settings now name another model. */
function describeTakeover({ thread, envelope: { identity }, previous }: Turn): readonly Draft[] {
	if (previous === undefined || thread.lastSent !== undefined || isSameModel(previous.identity, identity)) return [];
	const { turnId, model } = identity;
	const said = say("model-took-over", { before: previous.identity.model, model });
	return [{ kind: "event", event: { type: "warning", turnId, code: "model-changed", ...asMessage(said) } }];
}

/** Runs steps until there is nothing left to answer: no call, and no message of the user. */
async function runSteps(given: Turn, guard: Guard): Promise<void> {
	let turn = given;
	const repeats = createRepeats();
	const stopHooks = createStopHooks(turn);
	await turn.agents.beginTurn();
	for (;;) {
		if (await drainSteers(turn)) repeats.forget();
		const { calls, drafts } = await compactOnOverflow(turn, guard, () => completeStep(turn, guard));
		if (calls.length === 0 && (await endUnlessContinued(turn, drafts, stopHooks)) === "ended") return;
		if (calls.length > 0) {
			// Calls are durable before they run.
			await turn.thread.commit(drafts, "synced");
			await leaveLoop(turn, repeats, await runTools(turn, calls));
			turn = await tellNested(turn);
		}
		const { lastCompaction } = turn.thread.state();
		await makeRoomForStep(turn, guard);
		// The model may well repeat calls for content that it no longer sees.
		if (turn.thread.state().lastCompaction !== lastCompaction) repeats.forget();
	}
}

async function completeStep(turn: Turn, guard: Guard): Promise<StepResult> {
	const { history } = turn.thread.state();
	const result = await runStep(turn);
	guard.compactionsSinceStep = 0;
	await judgeCompaction(turn, history, result.drafts);
	return result;
}

/** Hooks may want the turn to continue, but not when the user already does. */
async function endUnlessContinued(
	turn: Turn,
	last: readonly Draft[],
	stopHooks: StopHooks,
): Promise<"ended" | "continued"> {
	const areWorking = turn.agents.isAnyWorking();
	const isSteered = pendingSteers(turn.thread.state()).length > 0;
	const isHooked = !isSteered && stopHooks.areThere();
	if (!areWorking && !isHooked) return (await endUnlessSteered(turn, last)) === "ended" ? "ended" : "continued";
	// Both may take long, and the turn may be stopped or its host end meanwhile.
	await turn.thread.commit(last, "synced");
	if (areWorking) return awaitAgents(turn, stopHooks);
	if ((await stopHooks.continue()) === "continued") return "continued";
	return (await endUnlessSteered(turn, [])) === "ended" ? "ended" : "continued";
}

/** A turn does not end before its sub-agents: what they report is read, and answered. */
async function awaitAgents(turn: Turn, stopHooks: StopHooks): Promise<"ended" | "continued"> {
	await turn.agents.wait(turn.signal);
	turn.signal.throwIfAborted();
	if (pendingSteers(turn.thread.state()).length > 0) return "continued";
	return endUnlessContinued(turn, [], stopHooks);
}

/** The last response and the turn's end are one commit, unless the user has sent something meanwhile. */
async function endUnlessSteered(turn: Turn, last: readonly Draft[]): Promise<"ended" | "steered"> {
	const { thread, spending, envelope } = turn;
	const { turnId } = envelope.identity;
	if (pendingSteers(thread.state()).length === 0) {
		await keepingLast(turn, last, async () => {
			await turn.atEnd();
			await spending.end();
		});
	}
	const event = { type: "turnCompleted", turnId, status: "completed", spent: spending.soFar() } as const;
	let outcome: "ended" | "steered" = "ended";
	await thread.commit((state) => {
		if (pendingSteers(state).length > 0) {
			outcome = "steered";
			return last;
		}
		return [...last, { kind: "event", event }];
	}, "synced");
	return outcome;
}

/** An end that fails does not take the last response along. */
async function keepingLast({ thread }: Turn, last: readonly Draft[], end: () => Promise<void>): Promise<void> {
	try {
		await end();
	} catch (error) {
		await thread.commit(last, "synced");
		throw error;
	}
}

async function endUnfinished(turn: Turn, error: unknown): Promise<void> {
	const { thread, envelope, ports, signal } = turn;
	const { turnId } = envelope.identity;
	await turn.atEnd().catch((problem: unknown) => ports.log("error", `Files could not be kept: ${problem}`));
	const failure = signal.aborted ? undefined : describeFailure(error);
	if (failure?.code === "internal")
		ports.log("error", `A turn failed: ${error instanceof Error ? error.stack : error}`);
	const hostEnded = signal.aborted && signal.reason === HOST_ENDED;
	const reason: AbortReason = hostEnded ? "died" : failure === undefined ? "stopped" : abortReason(failure);
	await turn.spending.end();
	const ended = { type: "turnCompleted", turnId, spent: turn.spending.soFar() } as const;
	const event: DurableEvent =
		failure === undefined
			? { ...ended, status: "interrupted", ...(hostEnded ? { error: HOST_ENDED } : {}) }
			: { ...ended, status: "failed", error: failure };
	try {
		await thread.commit(
			(state) => [
				// Stopped before the model got them: the user's messages are still kept.
				...(error instanceof PromptBlocked ? [] : steerRecords(state, turnId)),
				{ kind: "items", turnId, items: [asHistoryItem(turnAborted.of({ reason }))] },
				{ kind: "event", event },
			],
			"synced",
		);
	} catch (unsaved) {
		// The end cannot be recorded. Publish it unnumbered so that waiting clients are released.
		ports.log("error", `The end of a turn could not be recorded: ${unsaved}`);
		const lost = { code: "storage", message: String(unsaved instanceof Error ? unsaved.message : unsaved) } as const;
		ports.publish(envelope.identity.threadId, { at: ports.now(), event: { ...ended, status: "failed", error: lost } });
	}
}

function abortReason({ code }: TurnError): AbortReason {
	return code === "budget" ? "limit" : code === "loop" ? "loop" : "failed";
}

/** Any error as a message for the user. */
export function describeFailure(error: unknown): TurnError {
	if (error instanceof PromptBlocked)
		return { code: "hook", ...asMessage(say("prompt-blocked", { reason: error.message })) };
	if (error instanceof LimitReached) return { code: error.code, message: error.message, limit: error.limit };
	if (error instanceof Repeated) return { code: error.code, message: error.message, repeated: error.repeat };
	if (error instanceof ModelFailure) return { code: error.code, ...asMessage(error.said) };
	if (error instanceof HostError) return { code: "storage", ...asMessage(error.said) };
	return {
		code: "internal",
		message: "An internal error occurred in the agent host. See the log for details (Vitrine: Show Log).",
	};
}
