import { compactionRequest } from "../context/fragments/compacted.ts";
import { asHistoryItem, type HistoryItem } from "../history/history-item.ts";
import { joinSaid, quote, type Said, say } from "../protocol/say.ts";
import { fitForSummary } from "./fit.ts";
import { historyTokens } from "./measure.ts";
import { type CompactionPlan, SUMMARY_TOKENS } from "./plan-compaction.ts";
import { type CheckedSummary, checkSummary } from "./summary-contract.ts";
import { compactionPrompt } from "./summary-prompt.ts";

/** Access to a model: one request without tools, retried where that makes sense. */
export interface Summariser {
	/** Tokens of history that fit into a request, after subtracting the answer. */
	readonly room: number;
	readonly ask: (input: readonly HistoryItem[]) => Promise<Answer>;
}

export type Answer =
	| { readonly kind: "text"; readonly text: string }
	/** The server refused the request as too long. */
	| { readonly kind: "tooLong" }
	| { readonly kind: "failed"; readonly reason: Said };

export type Summarised =
	/** `leftOut`: number of the oldest entries that did not fit into the request. */
	| { readonly ok: true; readonly summary: CheckedSummary; readonly leftOut: number }
	| { readonly ok: false; readonly reason: Said };

/** Attempts that may be refused as too long; each sends half as much as the one before. */
const MAX_TOO_LONG = 3;
/** Reserved in the window for the answer and for errors of our estimate. */
const RESERVE_TOKENS = SUMMARY_TOKENS + 1_000;
const RESERVE_SHARE = 0.25;

/** Tokens of history that fit into a request for a summary, beside the fixed part and the answer. */
export function roomToAsk(window: number, fixed: number): number {
	return Math.max(0, window - fixed - Math.min(RESERVE_TOKENS, Math.floor(window * RESERVE_SHARE)));
}

/** Asks for a summary that satisfies the contract. After a bad answer it asks once more, with the complaint. */
export async function summarise(
	plan: CompactionPlan,
	words: { readonly prompt: string; readonly focus: string | undefined },
	summariser: Summariser,
): Promise<Summarised> {
	let { room } = summariser;
	let complaint: string | undefined;
	let tooLong = 0;
	for (;;) {
		const request = compactionRequest.of({ prompt: compactionPrompt(words.prompt), focus: words.focus, complaint });
		const shown = fitForSummary(plan.covered, room);
		const items = [...shown, asHistoryItem(request)];
		const answer = await summariser.ask(items);
		if (answer.kind === "failed") return { ok: false, reason: answer.reason };
		if (answer.kind === "tooLong") {
			tooLong += 1;
			if (tooLong >= MAX_TOO_LONG) return { ok: false, reason: say("too-long-to-summarize") };
			room = Math.floor(Math.min(room, historyTokens(shown)) / 2);
			continue;
		}
		const checked = checkSummary(answer.text, plan.record, plan.request);
		if (checked.ok) return { ...checked, leftOut: plan.covered.length - shown.length };
		if (complaint !== undefined)
			return { ok: false, reason: joinSaid(say("summary-rejected"), quote(checked.complaint)) };
		complaint = checked.complaint;
	}
}
