import { historyTokens } from "../../compaction/measure.ts";
import { type CompactionPlan, isWorth } from "../../compaction/plan-compaction.ts";
import { replaceBySealed, type SealedSummary, seal } from "../../compaction/remote.ts";
import { replaceBySummary } from "../../compaction/replacement.ts";
import { summarise } from "../../compaction/structured.ts";
import type { CheckedSummary } from "../../compaction/summary-contract.ts";
import type { Identity } from "../../envelope/envelope.ts";
import type { ModelClient } from "../../model/port.ts";
import { listUnreadable } from "../../model/sealed-for.ts";
import { quote, type Said, say } from "../../protocol/say.ts";
import type { CompactionStrategy } from "../../protocol/thread/compaction.ts";
import type { TokenCount } from "../../protocol/thread/events.ts";
import type { CompactionRequest } from "../thread/compaction-request.ts";
import type { ModelInUse, Turn } from "../thread/running-turn.ts";
import { createSealer } from "./sealer.ts";
import { createSummariser } from "./summariser.ts";

export type Compacting = Pick<Turn, "thread" | "envelope" | "model" | "previous" | "spending" | "ports" | "signal">;

const TOO_LARGE = "The server's summary does not fit in the context window.";
const NOT_WORTH_IT = "The summary would have freed less than a fifth of the context.";

/** The source of a replacement. */
export interface ReplacementSource {
	readonly summary: CheckedSummary | undefined;
	/** A server-side summary instead of a text. */
	readonly sealed?: SealedSummary;
	/** Why another strategy than the chosen one was used. */
	readonly fallback: string | undefined;
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
	const sealed = await seal(plan, createSealer(turn, compact, spend));
	if (typeof sealed === "string") return askModels(turn, plan, ask, sealed, spend);
	const { items } = replaceBySealed(plan, sealed);
	if (historyTokens(items) > plan.room.hard) return askModels(turn, plan, ask, TOO_LARGE, spend);
	if (!isWorth(plan, items)) return askModels(turn, plan, ask, NOT_WORTH_IT, spend);
	return { summary: undefined, sealed, fallback: undefined, notes: unreadNotes(plan, turn.envelope.identity) };
}

/** The strategy to try first, and why it is not the chosen one. */
export function initialStrategy(
	{ envelope, model }: Pick<Compacting, "envelope" | "model">,
	ask: CompactionRequest,
): { readonly strategy: CompactionStrategy; readonly instead?: string } {
	const { strategy } = envelope.identity.compaction;
	if (ask.reason === "modelSwitch") return { strategy: "structured" };
	if (strategy !== "remote") return { strategy };
	const instead = whyNotRemote(model, ask);
	return instead === undefined ? { strategy } : { strategy: "structured", instead };
}

function whyNotRemote({ compact }: ModelClient, { reason, focus }: CompactionRequest): string | undefined {
	if (compact === undefined) return "The model's server does not support compaction.";
	if (focus !== undefined) return "Server-side compaction does not support a focus.";
	if (reason !== "downshift") return undefined;
	return "Another model takes over, and it could not read this server's encrypted summary.";
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
	instead: string | undefined,
	spend: (usage: TokenCount) => void,
): Promise<ReplacementSource> {
	const { envelope } = turn;
	const words = { prompt: envelope.instructions.compactPrompt, focus: ask.focus };
	const failed: string[] = [];
	let fallback = "";
	for (const one of modelsFor(turn, plan, ask)) {
		const model = modelFor(turn, plan, one);
		const result = await summarise(plan, words, createSummariser(turn, one, model, spend));
		if (result.ok && isWorth(plan, replaceBySummary(plan, result.summary).items)) {
			const asked = model === "" ? one.identity : { ...one.identity, model };
			const notes = [
				...failed.map((why) => quote(`${why} ${asked.model} wrote the summary instead.`)),
				...unreadNotes(plan, asked),
				...(result.leftOut === 0 ? [] : [quote(tooMuch(result.leftOut))]),
			];
			return { summary: result.summary, fallback: instead, notes };
		}
		fallback = result.ok ? NOT_WORTH_IT : result.reason;
		failed.push(`${one.identity.model} could not summarize the conversation: ${fallback}`);
	}
	return { summary: undefined, fallback };
}

function modelsFor(
	{ envelope, model, previous }: Compacting,
	{ covered }: CompactionPlan,
	{ reason }: CompactionRequest,
): readonly ModelInUse[] {
	const own = { identity: envelope.identity, client: model };
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

function tooMuch(entries: number): string {
	const what = entries === 1 ? "The oldest entry" : `The oldest ${entries} entries`;
	return `${what} did not fit in the summary request, so the summary does not cover them. The model can still retrieve them.`;
}
