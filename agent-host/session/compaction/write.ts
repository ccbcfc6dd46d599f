import type { CheckedSummary } from "../../compaction/contract.ts";
import { historyTokens } from "../../compaction/measure.ts";
import type { CompactionPlan } from "../../compaction/plan.ts";
import { replaceBySealed, type SealedSummary, seal } from "../../compaction/remote.ts";
import { replaceBySummary } from "../../compaction/replacement.ts";
import { summarise } from "../../compaction/structured.ts";
import { isWorthIt } from "../../compaction/triggers.ts";
import type { ModelClient } from "../../model/port.ts";
import type { CompactionStrategy } from "../../protocol/compaction.ts";
import type { TokenCount } from "../../protocol/events.ts";
import type { Turn } from "../turn/turn.ts";
import type { CompactionAsk } from "./ask.ts";
import { createSealer } from "./sealer.ts";
import { createSummariser } from "./summariser.ts";

export type Compacting = Pick<Turn, "thread" | "envelope" | "model" | "previous" | "spending" | "ports" | "signal">;

const TOO_LARGE = "What the server made of the conversation does not fit the window.";
const NOT_WORTH_IT = "The summary would not have freed a fifth of the context.";

/** What a replacement is made from. */
export interface Written {
	readonly summary: CheckedSummary | undefined;
	/** What a server made instead of one. */
	readonly sealed?: SealedSummary;
	/** Why another way was taken than the chosen one. */
	readonly fallback: string | undefined;
}

/** By the strategy that is set, and by a summary of the model's where a server cannot do it. */
export async function write(
	turn: Compacting,
	plan: CompactionPlan,
	ask: CompactionAsk,
	spend: (usage: TokenCount) => void,
): Promise<Written> {
	const { strategy, instead } = firstWay(turn, ask);
	if (strategy === "deterministic") return { summary: undefined, fallback: undefined };
	const { compact } = turn.model;
	if (strategy === "structured" || compact === undefined) return askModels(turn, plan, ask, instead, spend);
	const sealed = await seal(plan, createSealer(turn, compact, spend));
	if (typeof sealed === "string") return askModels(turn, plan, ask, sealed, spend);
	const size = historyTokens(replaceBySealed(plan, sealed).items);
	if (size > plan.room.hard) return askModels(turn, plan, ask, TOO_LARGE, spend);
	if (!isWorthIt(ask.reason, plan.before, plan.around + size)) return askModels(turn, plan, ask, NOT_WORTH_IT, spend);
	return { summary: undefined, sealed, fallback: undefined };
}

/** What is tried first, and why not what was chosen. */
export function firstWay(
	{ envelope, model }: Pick<Compacting, "envelope" | "model">,
	ask: CompactionAsk,
): { readonly strategy: CompactionStrategy; readonly instead?: string } {
	const { strategy } = envelope.identity.compaction;
	if (strategy !== "remote") return { strategy };
	const instead = whyNotRemote(model, ask);
	return instead === undefined ? { strategy } : { strategy: "structured", instead };
}

function whyNotRemote({ compact }: ModelClient, { reason, focus }: CompactionAsk): string | undefined {
	if (compact === undefined) return "The model's server does not compact conversations by itself.";
	if (focus !== undefined) return "A server that compacts by itself takes no focus.";
	if (reason !== "downshift") return undefined;
	return "What a server makes of a conversation only its own model can read, and another one takes over.";
}

/** A summary by the model before, when a smaller window takes over, else by the turn's own. */
async function askModels(
	turn: Compacting,
	plan: CompactionPlan,
	ask: CompactionAsk,
	/** Why this is not the chosen way, if it is not. */
	instead: string | undefined,
	spend: (usage: TokenCount) => void,
): Promise<Written> {
	const { envelope, model, previous } = turn;
	const own = { identity: envelope.identity, client: model };
	const models = ask.reason === "downshift" && previous !== undefined ? [previous, own] : [own];
	const words = { prompt: envelope.instructions.compactPrompt, focus: ask.focus };
	let fallback = "";
	for (const one of models) {
		const result = await summarise(plan, words, createSummariser(turn, one, spend));
		if (result.ok && isWorthIt(ask.reason, plan.before, sizeWith(plan, result.summary))) {
			return { summary: result.summary, fallback: instead };
		}
		fallback = result.ok ? NOT_WORTH_IT : result.reason;
	}
	return { summary: undefined, fallback };
}

function sizeWith(plan: CompactionPlan, summary: CheckedSummary): number {
	return plan.around + historyTokens(replaceBySummary(plan, summary).items);
}
