import { historyBridge } from "../context/fragments/compacted.ts";
import { asHistoryItem, type HistoryItem } from "../history/history-item.ts";
import { chooseMessages } from "./choose.ts";
import { markOf } from "./compaction-words.ts";
import { fitForSummary } from "./fit.ts";
import { historyTokens } from "./measure.ts";
import type { CompactionPlan } from "./plan-compaction.ts";
import { asMessage, type Replacement, reportOn, withImages } from "./replacement.ts";

/** What a server made of a conversation; only it can read that again. */
export type SealedSummary = Extract<HistoryItem, { kind: "sealedSummary" }>;

/** The way to a server that compacts by itself. */
export interface Sealer {
	/** Tokens of history that a request to it has room for. */
	readonly room: number;
	readonly ask: (input: readonly HistoryItem[]) => Promise<SealerAnswer>;
}

export type SealerAnswer =
	| { readonly kind: "sealed"; readonly sealed: SealedSummary }
	| { readonly kind: "tooLong" }
	| { readonly kind: "failed"; readonly reason: string };

/** Requests that may come back as too long; each is half of the one before. */
const MAX_TOO_LONG = 3;

/** Has a server compact what a plan covers, or says why not. */
export async function seal(plan: CompactionPlan, sealer: Sealer): Promise<SealedSummary | string> {
	let { room } = sealer;
	for (let tries = 0; tries < MAX_TOO_LONG; tries += 1) {
		const input = fitForSummary(plan.covered, room);
		const answer = await sealer.ask(input);
		if (answer.kind === "sealed") return answer.sealed;
		if (answer.kind === "failed") return answer.reason;
		room = Math.floor(Math.min(room, historyTokens(input)) / 2);
	}
	return "The conversation is too long for the server to compact.";
}

/** The user's words from the record, the bridge, and what the server made, last. */
export function replaceBySealed(plan: CompactionPlan, sealed: SealedSummary): Replacement {
	const { request, asked } = plan;
	const kept = chooseMessages(plan, request, []);
	const words = kept.map(({ original, text }) => asMessage(text, { after: 0, ...markOf(original, request, asked) }));
	const items = withImages(plan, request, words, [
		asHistoryItem(historyBridge.of({ turns: plan.allTurns, how: "sealed" })),
		sealed,
	]);
	return { items, report: { ...reportOn(plan, items, kept), strategy: "remote", summary: "", repaired: 0 } };
}
