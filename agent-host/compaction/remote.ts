import { historyBridge } from "../context/fragments/compacted.ts";
import { asHistoryItem, type HistoryItem } from "../history/history-item.ts";
import { type Said, say } from "../protocol/say.ts";
import { chooseMessages } from "./choose.ts";
import { makeMark } from "./compaction-words.ts";
import { fitForSummary } from "./fit.ts";
import { historyTokens } from "./measure.ts";
import type { CompactionPlan } from "./plan-compaction.ts";
import { asMessage, type Replacement, reportOn, withImages } from "./replacement.ts";

/** A summary that only the server that wrote it can read. */
export type SealedSummary = Extract<HistoryItem, { kind: "sealedSummary" }>;

/** Access to a server that can compact on its side. */
export interface Sealer {
	/** Tokens of history that fit into a request to it. */
	readonly room: number;
	readonly ask: (input: readonly HistoryItem[]) => Promise<SealerAnswer>;
}

export type SealerAnswer =
	| { readonly kind: "sealed"; readonly sealed: SealedSummary }
	| { readonly kind: "tooLong" }
	| { readonly kind: "failed"; readonly reason: Said };

/** Attempts that may be refused as too long; each sends half as much as the one before. */
const MAX_TOO_LONG = 3;

/** Lets a server compact the covered items, or returns why it could not. */
export async function seal(
	plan: CompactionPlan,
	sealer: Sealer,
): Promise<{ readonly sealed: SealedSummary } | { readonly reason: Said }> {
	let { room } = sealer;
	for (let tries = 0; tries < MAX_TOO_LONG; tries += 1) {
		const input = fitForSummary(plan.covered, room);
		const answer = await sealer.ask(input);
		if (answer.kind === "sealed") return { sealed: answer.sealed };
		if (answer.kind === "failed") return { reason: answer.reason };
		room = Math.floor(Math.min(room, historyTokens(input)) / 2);
	}
	return { reason: say("too-long-to-compact") };
}

/** The user's recorded messages, the bridge, and the server's summary last. */
export function replaceBySealed(plan: CompactionPlan, sealed: SealedSummary): Replacement {
	const { request, asked } = plan;
	const kept = chooseMessages(plan, request, []);
	const words = kept.map(({ original, text }) => asMessage(text, { after: 0, ...makeMark(original, request, asked) }));
	const items = withImages(plan, request, words, [
		asHistoryItem(historyBridge.of({ turns: plan.allTurns, how: "sealed" })),
		sealed,
	]);
	return { items, report: { ...reportOn(plan, items, kept), strategy: "remote", summary: "", repaired: 0 } };
}
