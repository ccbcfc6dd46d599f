import { historyTokens } from "../../compaction/measure.ts";
import { type CompactionPlan, isWorth } from "../../compaction/plan-compaction.ts";
import { replaceBySealed, type SealedSummary, seal } from "../../compaction/remote.ts";
import { replaceBySummary } from "../../compaction/replacement.ts";
import { summarise } from "../../compaction/structured.ts";
import type { CheckedSummary } from "../../compaction/summary-contract.ts";
import type { Identity } from "../../envelope/envelope.ts";
import { clientFor } from "../../model/client.ts";
import type { ModelClient } from "../../model/port.ts";
import { listUnreadable } from "../../model/sealed-for.ts";
import { joinSaid, type Said, say } from "../../protocol/say.ts";
import type { CompactionStrategy } from "../../protocol/thread/compaction.ts";
import type { TokenCount } from "../../protocol/thread/events.ts";
import type { CompactionRequest } from "../thread/compaction-request.ts";
import type { ModelInUse, Turn } from "../thread/running-turn.ts";
import { createSealer } from "./sealer.ts";
import { createSummariser } from "./summariser.ts";

export type Compacting = Pick<Turn, "thread" | "envelope" | "model" | "previous" | "spending" | "ports" | "signal">;

const TOO_LARGE = say("summary-too-large");
const NOT_WORTH_IT = say("summary-not-worth-it");

/** The source of a replacement. */
export interface ReplacementSource {
	readonly summary: CheckedSummary | undefined;
	/** A server-side summary instead of a text. */
	readonly sealed?: SealedSummary;
	/** Why another strategy than the chosen one was used. */
	readonly fallback: Said | undefined;
	/** What the summary cannot contain, and who wrote it instead of whom; for the user. */
	readonly notes?: readonly Said[];
}

/** With the configured strategy, and with a summary by the model if a server cannot do it. */
export async function produceSummary(
	turn: Compacting,
	plan: CompactionPlan,
	ask: CompactionRequest,
	spend: (usage: TokenCount) => void,
): Promise<ReplacementSource> {
	const { strategy, instead } = initialStrategy(turn, ask);
	if (strategy === "deterministic") return { summary: undefined, fallback: undefined };
	const { compact } = turn.model;
	if (strategy === "structured" || compact === undefined) return askModels(turn, plan, ask, instead, spend);
	const answer = await seal(plan, createSealer(turn, compact, spend));
	if ("reason" in answer) return askModels(turn, plan, ask, answer.reason, spend);
	const { sealed } = answer;
	const { items } = replaceBySealed(plan, sealed);
	if (historyTokens(items) > plan.room.hard) return askModels(turn, plan, ask, TOO_LARGE, spend);
	if (!isWorth(plan, items)) return askModels(turn, plan, ask, NOT_WORTH_IT, spend);
	return { summary: undefined, sealed, fallback: undefined, notes: unreadNotes(plan, turn.envelope.identity) };
}

/** The strategy to try first, and why it is not the chosen one. */
export function initialStrategy(
	{ envelope, model }: Pick<Compacting, "envelope" | "model">,
	ask: CompactionRequest,
): { readonly strategy: CompactionStrategy; readonly instead?: Said } {
	const { strategy } = envelope.identity.compaction;
	if (ask.reason === "modelSwitch") return { strategy: "structured" };
	if (strategy !== "remote") return { strategy };
	const instead = whyNotRemote(model, ask);
	return instead === undefined ? { strategy } : { strategy: "structured", instead };
}

function whyNotRemote({ compact }: ModelClient, { reason, focus }: CompactionRequest): Said | undefined {
	if (compact === undefined) return say("no-compaction-there");
	if (focus !== undefined) return say("no-focus-there");
	if (reason !== "downshift") return undefined;
	return say("sealed-for-another");
}

/**
 * The summary is written by the previous model if a smaller window takes over or only that model can read the
 * server-side summary, otherwise by the turn's own.
 */
async function askModels(
	turn: Compacting,
	plan: CompactionPlan,
	ask: CompactionRequest,
	/** Why this is not the chosen strategy, if so. */
	instead: Said | undefined,
	spend: (usage: TokenCount) => void,
): Promise<ReplacementSource> {
	const { envelope } = turn;
	const words = { prompt: envelope.instructions.compactPrompt, focus: ask.focus };
	const failed: Said[] = [];
	let fallback: Said | undefined;
	for (const one of modelsFor(turn, plan, ask)) {
		const model = modelFor(turn, plan, one);
		const result = await summarise(plan, words, createSummariser(turn, one, model, spend));
		if (result.ok && isWorth(plan, replaceBySummary(plan, result.summary).items)) {
			const asked = model === "" ? one.identity : { ...one.identity, model };
			const notes = [
				...failed.map((why) => joinSaid(why, say("summary-by", { model: asked.model }))),
				...unreadNotes(plan, asked),
				...(result.leftOut === 0 ? [] : [sayLeftOut(result.leftOut)]),
			];
			return { summary: result.summary, fallback: instead, notes };
		}
		fallback = result.ok ? NOT_WORTH_IT : result.reason;
		failed.push(joinSaid(say("summary-failed", { model: one.identity.model }), fallback));
	}
	return { summary: undefined, fallback };
}

function modelsFor(
	{ envelope, model, previous, ports }: Compacting,
	{ covered }: CompactionPlan,
	{ reason }: CompactionRequest,
): readonly ModelInUse[] {
	const { summarizer } = envelope.identity;
	const own = { identity: envelope.identity, client: model };
	if (summarizer !== undefined && reason !== "modelSwitch") {
		return [{ identity: summarizer, client: clientFor(summarizer, ports) }, own];
	}
	if (previous === undefined) return [own];
	if (reason === "modelSwitch") return [previous];
	const canRead = ({ identity }: ModelInUse) => listUnreadable(identity, covered).length === 0;
	return reason === "downshift" || (!canRead(own) && canRead(previous)) ? [previous, own] : [own];
}

/**
 * The model configured for summaries, only at the turn's server; and not if it could not read what is to be summarized.
 */
function modelFor(
	{ envelope, model }: Compacting,
	{ covered }: CompactionPlan,
	{ identity, client }: ModelInUse,
): string {
	const set = envelope.identity.compaction.model;
	if (set === "" || client !== model) return "";
	const isLost = listUnreadable({ ...identity, model: set }, covered).length > listUnreadable(identity, covered).length;
	return isLost ? "" : set;
}

/** Notes that a server-side summary for another model is not included. */
function unreadNotes({ covered }: CompactionPlan, identity: Identity): readonly Said[] {
	return listUnreadable(identity, covered).length === 0 ? [] : [unread(identity.model)];
}

/** The note for the user when a model continues without the server-side summary of another one. */
export function unread(model: string): Said {
	return say("sealed-summary-unread", { model });
}

function sayLeftOut(entries: number): Said {
	return entries === 1 ? say("oldest-entry-left-out") : say("oldest-entries-left-out", { entries });
}
